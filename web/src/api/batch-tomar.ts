// POST /api/occupation/batch-tomar: up to 50 spools, each decided on its own.
import { callOf } from "./call";

export const batchTomar = callOf("/api/occupation/batch-tomar");
