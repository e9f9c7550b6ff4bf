// POST /api/metrologia/completar: the result of an inspection.
import type { Call } from "./call";
import type { ActionAnswer } from "./shapes";

export interface Inspeccionar {
  tag_spool: string;
  worker_id: number;
  resultado: "APROBADO" | "RECHAZADO";
}

export const inspeccionar: Call<Inspeccionar, ActionAnswer> = { path: "/api/metrologia/completar" };
