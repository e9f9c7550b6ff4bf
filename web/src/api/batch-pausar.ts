// POST /api/occupation/batch-pausar: up to 50 spools, each on its own.
import type { Call, ManySpools } from "./call";
import type { BatchAnswer } from "./shapes";

export const batchPausar: Call<ManySpools, BatchAnswer> = { path: "/api/occupation/batch-pausar" };
