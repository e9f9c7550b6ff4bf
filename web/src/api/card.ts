// GET /api/spools/{tag}: the spool, its joints, and what this worker may do with it.
import { getJson, inPath, query } from "./http";
import type { SpoolCard } from "./types";

export const getCard = (tag: string, worker_id?: number, signal?: AbortSignal): Promise<SpoolCard> =>
  getJson(`/api/spools/${inPath(tag)}${query({ worker_id })}`, signal);
