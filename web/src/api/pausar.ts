// POST /api/occupation/pausar: v3.0: the progress stays, the spool is free.
import { callOf } from "./call";

export const pausar = callOf("/api/occupation/pausar");
