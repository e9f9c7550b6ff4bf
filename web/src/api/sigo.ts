// POST /api/occupation/sigo: the holder goes on with the spool after the end of a shift; only the history changes.
import { callOf } from "./call";

export const sigo = callOf("/api/occupation/sigo");
