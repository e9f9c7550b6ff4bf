// POST /api/metrologia/desbloquear: a supervisor lifts BLOQUEADO.
import type { Call, Supervised } from "./call";
import type { ActionAnswer } from "./shapes";

export const desbloquear: Call<Supervised, ActionAnswer> = { path: "/api/metrologia/desbloquear" };
