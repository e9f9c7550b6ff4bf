// GET /api/metrics/pulgadas: inches done between two days, by day, worker or operation. A row without a worker: unknown who.
import { getJson, query } from "./http";
import type { GetAnswer, GetQuery } from "./types";

type Path = "/api/metrics/pulgadas";
export type PulgadasQuery = GetQuery<Path>;
export type PulgadasRow = GetAnswer<Path>["rows"][number];

export const listPulgadas = async (parameters: PulgadasQuery, signal?: AbortSignal): Promise<PulgadasRow[]> =>
  (await getJson<GetAnswer<Path>>(`/api/metrics/pulgadas${query({ ...parameters })}`, signal)).rows;
