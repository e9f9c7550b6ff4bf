// POST /api/v4/occupation/iniciar (v4.0): the worker holds the spool, no joint is touched.
import { callOf } from "./call";

export const iniciar = callOf("/api/v4/occupation/iniciar");
