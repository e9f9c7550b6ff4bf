// POST /api/occupation/liberar: a supervisor frees a spool that a worker holds.
import { callOf } from "./call";

export const liberar = callOf("/api/occupation/liberar");
