// POST /api/occupation/completar: v3.0: the operation is done.
import type { Call, OneSpool } from "./call";
import type { ActionAnswer } from "./shapes";

export const completar: Call<OneSpool, ActionAnswer> = { path: "/api/occupation/completar" };
