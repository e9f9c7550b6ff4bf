// POST /api/sync/freeze: a supervisor decides about a stopped sheet: it stands as it is, or ours does and is written again.
import { postJson } from "./http";
import type { Decision, Sheet } from "./sync-status";

export interface FreezeDecision {
  supervisor_id: number;
  hoja: Sheet;
  /** The id of the freeze that the supervisor saw. */
  detencion: string;
  decision: Decision;
}

/** `message` is the sentence for the supervisor. */
export interface Decided {
  success: true;
  message: string;
}

export const decideFreeze = (body: FreezeDecision, key: string): Promise<Decided> =>
  postJson("/api/sync/freeze", body, key);
