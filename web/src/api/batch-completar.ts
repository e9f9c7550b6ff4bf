// POST /api/occupation/batch-completar: up to 50 spools, each on its own.
import type { Call, ManySpools } from "./call";
import type { BatchAnswer } from "./shapes";

export const batchCompletar: Call<ManySpools, BatchAnswer> = { path: "/api/occupation/batch-completar" };
