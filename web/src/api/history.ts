// GET /api/history/{tag}: who held the spool, for what, how it ended; and every event, oldest first.
import { getJson, inPath } from "./http";
import type { History } from "./types";

export const getHistory = (tag: string, signal?: AbortSignal): Promise<History> =>
  getJson(`/api/history/${inPath(tag)}`, signal);
