// POST /api/configuracion/administrador: with the setup code, makes the first administrator and enrols this browser.
import { postSecret } from "./http";
import type { FirstAdministrator, SignInAnswer } from "./identity-types";

export const makeAdministrator = (body: FirstAdministrator): Promise<SignInAnswer> =>
  postSecret("/api/configuracion/administrador", body);
