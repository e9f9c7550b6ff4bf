// POST /api/v4/occupation/batch-iniciar: up to 50 spools that are worked joint by joint, each decided on its own.
import { callOf } from "./call";

export const batchIniciar = callOf("/api/v4/occupation/batch-iniciar");
