// GET /api/spools: a page of a list. With `accion`, only the spools on which it would succeed now.
import { getJson, query } from "./http";
import type { GetQuery, SpoolPage } from "./types";

export type SpoolQuery = GetQuery<"/api/spools">;

export const listSpools = (parameters: SpoolQuery, signal?: AbortSignal): Promise<SpoolPage> =>
  getJson(`/api/spools${query({ ...parameters })}`, signal);
