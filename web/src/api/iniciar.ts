// POST /api/v4/occupation/iniciar (v4.0): the spool is this worker's, no joint is touched.
import type { Call, OneSpool } from "./call";
import type { ActionAnswer } from "./shapes";

export const iniciar: Call<OneSpool, ActionAnswer> = { path: "/api/v4/occupation/iniciar" };
