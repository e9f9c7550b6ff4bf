// GET /api/metrics/calidad: inspections, rejections and first-pass yield between two days, by day or by worker. The yield is
// null, never 0, when nothing was inspected for the first time.
import { getJson, query } from "./http";
import type { GetAnswer, GetQuery } from "./types";

export type CalidadQuery = GetQuery<"/api/metrics/calidad">;
export type CalidadReport = GetAnswer<"/api/metrics/calidad">;
export type CalidadRow = CalidadReport["rows"][number];

export const getCalidad = (parameters: CalidadQuery, signal?: AbortSignal): Promise<CalidadReport> =>
  getJson(`/api/metrics/calidad${query({ ...parameters })}`, signal);
