// After the server has done a chain: the card is shown as the chain left it until it is read again, so that nothing on the screen jumps
// and no tick is lost in between.
import type { QueryClient } from "@tanstack/react-query";

import type { SpoolCard, Worker } from "@/api/types";
import { offlineCopy } from "@/offline/copy";
import { stepsOf } from "@/taps/chain";
import { authorIdOf, type Tap } from "@/taps/tap";
import { cardAfter } from "./provisional";
import { keys } from "./reads";

export function showAsDone(cache: QueryClient, tap: Tap, worker: Worker): void {
  const [tag] = tap.about.tags;
  if (tag === undefined || authorIdOf(tap) !== worker.id) return;
  const copy = offlineCopy.current();
  const after = (card: SpoolCard): SpoolCard => cardAfter(card, { steps: stepsOf(tap), worker, armOnly: copy?.armOnly ?? [] });
  cache.setQueryData<SpoolCard>(keys.card(tag, worker.id), (card) => card && after(card));
  const copied = copy?.cards.get(tag);
  if (copied) offlineCopy.put(worker.id, after(copied));
}
