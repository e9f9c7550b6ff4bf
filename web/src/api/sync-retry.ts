// POST /api/sync/retry: what Google refused is tried again.
import { postJson } from "./http";
import type { Decided } from "./sync-freeze";

export const retryParked = (supervisor_id: number, key: string): Promise<Decided> =>
  postJson("/api/sync/retry", { supervisor_id }, key);
