// GET /api/offline/spools: what a person holds or could take, with joints, in one answer. Null: nothing changed since `etag`.
import { accepted, noAnswer, query } from "./http";
import type { GetAnswer } from "./types";

export type OfflineAnswer = GetAnswer<"/api/offline/spools">;

const ANSWER_MS_MAX = 30_000;
const NOT_MODIFIED = 304;

export async function getOfflineCopy(worker_id: number, etag: string | null): Promise<{ copy: OfflineAnswer; etag: string | null } | null> {
  const headers = { Accept: "application/json", ...(etag !== null && { "If-None-Match": etag }) };
  const signal = AbortSignal.timeout(ANSWER_MS_MAX);
  let response: Response;
  let body: unknown;
  try {
    response = await fetch(`/api/offline/spools${query({ worker_id })}`, { headers, cache: "no-store", signal });
    if (response.status === NOT_MODIFIED) return null;
    body = await response.json();
  } catch (error) {
    throw noAnswer(String(error));
  }
  return { copy: accepted(response.status, body) as OfflineAnswer, etag: response.headers.get("etag") };
}
