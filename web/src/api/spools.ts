// GET /api/spools: a page of a list. With `accion`, only the spools it could succeed on now.
import { getJson, query } from "./http";
import type { Accion, Operacion, SpoolPage } from "./shapes";

export interface SpoolQuery {
  operacion?: Operacion;
  accion?: Accion;
  worker_id?: number;
  q?: string;
  cursor?: string;
  limit?: number;
}

export const listSpools = (asked: SpoolQuery, signal?: AbortSignal): Promise<SpoolPage> =>
  getJson(`/api/spools${query({ ...asked })}`, signal);
