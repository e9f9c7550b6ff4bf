// After the server has done what was tapped: the card is shown as the tap left it until it is read again, so that nothing on the screen
// jumps and no tick is lost in between; also in the copy, because the connection may die before the card is read.
import type { QueryClient } from "@tanstack/react-query";

import type { BatchAnswer, SpoolCard, Worker } from "@/api/types";
import { offlineCopy } from "@/offline/copy";
import { stepsOf } from "@/taps/chain";
import { authorIdOf, type Tap, type TapOutcome } from "@/taps/tap";
import { cardAfter } from "./provisional";
import { keys } from "./reads";

export function showAsDone(cache: QueryClient, tap: Tap, outcome: TapOutcome<unknown>, worker: Worker): void {
  const steps = stepsOf(tap);
  if (outcome.kind !== "done" || steps.length === 0 || authorIdOf(tap) !== worker.id) return;
  const armOnly = offlineCopy.current()?.armOnly ?? [];
  const after = (card: SpoolCard): SpoolCard => cardAfter(card, { steps, worker, armOnly });
  for (const tag of doneSpools(tap, outcome.answer)) {
    cache.setQueryData<SpoolCard>(keys.card(tag, worker.id), (card) => card && after(card));
    const copied = offlineCopy.current()?.cards.get(tag);
    if (copied) offlineCopy.put(worker.id, after(copied));
  }
}

/** A batch is decided spool by spool. */
function doneSpools({ about }: Tap, answer: unknown): readonly string[] {
  const { details } = (answer ?? {}) as Partial<BatchAnswer>;
  return details ? details.filter(({ success }) => success).map(({ tag_spool }) => tag_spool) : about.tags;
}
