// POST /api/occupation/corregir: a supervisor reopens what was done by mistake.
import type { Call, Supervised } from "./call";
import type { ActionAnswer } from "./shapes";

export interface Corregir extends Supervised {
  operacion: "ARM" | "SOLD" | "METROLOGIA";
  unions?: number[];
}

export const corregir: Call<Corregir, ActionAnswer> = { path: "/api/occupation/corregir" };
