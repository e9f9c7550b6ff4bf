// GET /api/workers: the active people of the shop.
import { getJson } from "./http";
import type { GetAnswer, Worker } from "./types";

export const listWorkers = async (signal?: AbortSignal): Promise<Worker[]> =>
  (await getJson<GetAnswer<"/api/workers">>("/api/workers", signal)).workers;
