// POST /api/occupation/liberar: a supervisor frees a spool somebody holds.
import type { Call, Supervised } from "./call";
import type { ActionAnswer } from "./shapes";

export const liberar: Call<Supervised, ActionAnswer> = { path: "/api/occupation/liberar" };
