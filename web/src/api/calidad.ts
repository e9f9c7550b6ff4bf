// GET /api/metrics/calidad: inspections, rejections and first-pass yield between two days, by day or by worker.
import { getJson, query } from "./http";

export interface Calidad {
  inspecciones: number;
  rechazos: number;
  primeras: number;
  aprobadas_a_la_primera: number;
  /** Nothing was inspected for the first time: null, never 0. */
  rendimiento_a_la_primera: number | null;
}

export interface CalidadRow extends Calidad {
  dia?: string;
  worker?: string;
}

export interface CalidadQuery {
  desde: string;
  hasta: string;
  por: "dia" | "worker";
  operacion: "ARM" | "SOLD";
}

export interface CalidadReport {
  rows: CalidadRow[];
  total: Calidad;
}

export const getCalidad = (asked: CalidadQuery, signal?: AbortSignal): Promise<CalidadReport> =>
  getJson(`/api/metrics/calidad${query({ ...asked })}`, signal);
