// Short names for the types about identity: who signs in, on which device, in which mode.
import type { GetAnswer, PostAnswer, PostBody } from "./types";

export type Access = GetAnswer<"/api/acceso">;
/** An enrolled tablet, wall board or office computer. */
export type Device = NonNullable<Access["dispositivo"]>;
export type DeviceKind = Device["tipo"];

export type SessionAnswer = PostAnswer<"/api/sesion/pin">;
/** A session and the key of its taps; the key is null where taps cannot be signed. */
export type SignInAnswer = PostAnswer<"/api/sesion">;
/** Who wants to sign in: a person picked from the list, or a badge that a reader typed. */
export type Claimant = { worker_id: number } | { badge: string };

export type DevicesAnswer = GetAnswer<"/api/dispositivos">;
export type EnrolmentAnswer = PostAnswer<"/api/dispositivos/inscripciones">;
export type FirstAdministrator = PostBody<"/api/configuracion/administrador">;
