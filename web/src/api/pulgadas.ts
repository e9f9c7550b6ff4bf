// GET /api/metrics/pulgadas: inches done between two days, by day, worker or operation.
import { getJson, query } from "./http";

export interface PulgadasRow {
  dia?: string;
  worker?: string | null; // null: nobody knows who
  operacion?: string;
  pulgadas: number;
  uniones: number;
  spools: number;
}

export interface PulgadasQuery {
  desde: string;
  hasta: string;
  por: "dia" | "worker" | "operacion";
  operacion?: "ARM" | "SOLD";
}

export const listPulgadas = async (asked: PulgadasQuery, signal?: AbortSignal): Promise<PulgadasRow[]> =>
  (await getJson<{ rows: PulgadasRow[] }>(`/api/metrics/pulgadas${query({ ...asked })}`, signal)).rows;
