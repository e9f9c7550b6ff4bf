// GET /api/acceso: in which mode the server runs, whether this device is enrolled, and who is signed in on it.
import { getJson } from "./http";
import type { Access } from "./identity-types";

export const getAccess = (): Promise<Access> => getJson("/api/acceso");
