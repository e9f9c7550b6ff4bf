// GET /api/workers: the active people of the shop.
import { getJson } from "./http";
import type { Worker } from "./shapes";

export const listWorkers = async (signal?: AbortSignal): Promise<Worker[]> =>
  (await getJson<{ workers: Worker[] }>("/api/workers", signal)).workers;
