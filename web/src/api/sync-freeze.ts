// POST /api/sync/freeze: a supervisor decides about a stopped sheet: keep what the sheet says, or write the ledger's values again.
import { postJson } from "./http";
import type { PostAnswer, PostBody } from "./types";

type Path = "/api/sync/freeze";
export type FreezeDecision = PostBody<Path>;
export type Decision = FreezeDecision["decision"];
/** `message` is the sentence for the supervisor. */
export type DecisionAnswer = PostAnswer<Path>;

export const decideFreeze = (body: FreezeDecision, key: string): Promise<DecisionAnswer> =>
  postJson("/api/sync/freeze", body, key);
