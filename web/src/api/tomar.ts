// POST /api/occupation/tomar: v3.0 (and REPARACION): the worker holds the spool.
import { callOf } from "./call";

export const tomar = callOf("/api/occupation/tomar");
