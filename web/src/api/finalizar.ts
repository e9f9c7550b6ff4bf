// POST /api/v4/occupation/finalizar (v4.0): the ticked joints are done, the spool is free.
import { callOf } from "./call";

export const finalizar = callOf("/api/v4/occupation/finalizar");
