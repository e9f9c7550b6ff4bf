// POST /api/occupation/batch-tomar: up to 50 spools, each on its own.
import type { Call, ManySpools } from "./call";
import type { BatchAnswer } from "./shapes";

export const batchTomar: Call<ManySpools, BatchAnswer> = { path: "/api/occupation/batch-tomar" };
