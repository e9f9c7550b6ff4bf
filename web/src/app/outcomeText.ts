// The sentences about what became of a tap.
import { reclamoOf } from "@/api/cadena";
import type { ActionAnswer, BatchAnswer, Problem } from "@/api/types";
import { words } from "@/i18n";
import type { Tap } from "@/taps/tap";

/** Of an action that succeeded. */
export function messageOf(answer: unknown): string {
  const done = answer as ActionAnswer | BatchAnswer;
  return "message" in done ? done.message : words("batch.result", { succeeded: done.succeeded, total: done.total });
}

/** Of one that was refused; and that its work is not lost. */
export function refusalText(tap: Tap, problem: Problem): string {
  const refused = `${tap.about.worker}: ${problem.detail}`;
  return reclamoOf(problem) === null ? refused : `${refused} ${words("provisional.reclamo")}`;
}
