// GET /api/spools: a page of a list. With `accion`, only the spools on which it would succeed now.
import { getJson, query } from "./http";
import type { GetQuery, SpoolListPage } from "./types";

export type SpoolQuery = GetQuery<"/api/spools">;

export const listSpools = (parameters: SpoolQuery, signal?: AbortSignal): Promise<SpoolListPage> =>
  getJson(`/api/spools${query({ ...parameters })}`, signal);
