// The sentence of an action that succeeded.
import type { ActionAnswer, BatchAnswer } from "@/api/types";
import { words } from "@/i18n";

export function messageOf(answer: unknown): string {
  const done = answer as ActionAnswer | BatchAnswer;
  return "message" in done ? done.message : words("batch.result", { succeeded: done.succeeded, total: done.total });
}
