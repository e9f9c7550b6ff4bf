// POST /api/occupation/batch-completar: up to 50 spools, each decided on its own.
import { callOf } from "./call";

export const batchCompletar = callOf("/api/occupation/batch-completar");
