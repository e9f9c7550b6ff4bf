// POST /api/metrologia/desbloquear: a supervisor lifts BLOQUEADO.
import { callOf } from "./call";

export const desbloquear = callOf("/api/metrologia/desbloquear");
