// POST /api/occupation/cancelar: v3.0: as it was before the take.
import type { Call, OneSpool } from "./call";
import type { ActionAnswer } from "./shapes";

export const cancelar: Call<OneSpool, ActionAnswer> = { path: "/api/occupation/cancelar" };
