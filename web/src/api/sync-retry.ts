// POST /api/sync/retry: the lane tries again to write what Google refused.
import { postJson } from "./http";
import type { PostAnswer } from "./types";

export const retryParked = (supervisor_id: number, key: string): Promise<PostAnswer<"/api/sync/retry">> =>
  postJson("/api/sync/retry", { supervisor_id }, key);
