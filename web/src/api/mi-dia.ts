// GET /api/mi-dia: a person's own page: what they hold, what they did, what was rejected of it.
import { getJson, query } from "./http";
import type { GetAnswer } from "./types";

export type MyDayAnswer = GetAnswer<"/api/mi-dia">;

export const getMyDay = (worker_id: number, signal?: AbortSignal): Promise<MyDayAnswer> =>
  getJson(`/api/mi-dia${query({ worker_id })}`, signal);
