// POST /api/occupation/tomar: v3.0 (and REPARACION): the spool is this worker's.
import type { Call, OneSpool } from "./call";
import type { ActionAnswer } from "./shapes";

export const tomar: Call<OneSpool, ActionAnswer> = { path: "/api/occupation/tomar" };
