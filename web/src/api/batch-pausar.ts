// POST /api/occupation/batch-pausar: up to 50 spools, each decided on its own.
import { callOf } from "./call";

export const batchPausar = callOf("/api/occupation/batch-pausar");
