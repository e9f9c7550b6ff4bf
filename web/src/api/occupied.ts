// GET /api/dashboard/occupied: who has what now, longest first.
import { getJson } from "./http";
import type { Operacion } from "./shapes";

export interface Occupied {
  tag_spool: string;
  ocupado_por: string;
  ocupado_por_id: number;
  operacion: Operacion;
  since: string;
  minutos: number;
  estado_detalle: string;
}

export const listOccupied = async (signal?: AbortSignal): Promise<Occupied[]> =>
  (await getJson<{ occupied: Occupied[] }>("/api/dashboard/occupied", signal)).occupied;
