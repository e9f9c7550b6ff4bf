// Updates the lists after every tap, and shows as a notice the outcome of a tap whose screen is closed.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";

import type { Worker } from "@/api/types";
import { isClaimed } from "@/features/sign-in/claim";
import { words } from "@/i18n";
import { useConnection } from "@/live/hooks";
import { currentVisit } from "@/session/session";
import { useCacheUpdater } from "@/shop/cacheUpdater";
import { showAsDone } from "@/shop/confirmed";
import { isChain } from "@/taps/chain";
import { taps } from "@/taps/hooks";
import { authorIdOf, type Tap, type TapOutcome } from "@/taps/tap";
import { notify, notifyPerson } from "@/ui/notices";
import { toldAbsent } from "./lateOutcomes";
import { messageOf, refusalText } from "./outcomeText";

/** For the whole application, once. Taps that a reload interrupted are sent again once their outcome can be shown. */
export function useTapNotices(): void {
  const connection = useConnection();
  useEffect(() => {
    const stop = taps.onOutcome((tap, outcome, owned) => {
      if (!toldAbsent(tap, outcome) && !owned) notifyOutcome(tap, outcome);
    });
    void taps.restore();
    return stop;
  }, []);
  useEffect(() => {
    if (connection === "live") taps.retryAll();
  }, [connection]);
}

/** Once for as long as one worker uses the tablet. */
export function useTapOutcomes(worker: Worker): void {
  const updater = useCacheUpdater(worker.id);
  const cache = useQueryClient();
  useEffect(
    () =>
      taps.onOutcome((tap, outcome) => {
        showAsDone(cache, tap, outcome, worker);
        tap.about.tags.forEach((tag) => updater.readCardSoon(tag));
        if (isAboutTheWorker(outcome)) void cache.invalidateQueries({ queryKey: ["workers"] });
      }),
    [updater, cache, worker],
  );
}

/** The worker's roles changed or the worker became inactive: the tablet's list of workers is out of date. */
function isAboutTheWorker(outcome: TapOutcome<unknown>): boolean {
  return outcome.kind === "refused" && ["ROL_NO_AUTORIZADO", "WORKER_INACTIVO"].includes(outcome.problem.code);
}

function notifyOutcome(tap: Tap, outcome: TapOutcome<unknown>): void {
  const isCovered = isClaimed() || currentVisit().locked !== null; // then nobody sees a notice that closes by itself
  if (outcome.kind === "done") notifyPerson(authorIdOf(tap), "good", doneText(tap, outcome.answer), isCovered);
  else if (outcome.kind === "refused") notifyPerson(authorIdOf(tap), "bad", refusalText(tap, outcome.problem), true);
  else if (outcome.kind === "dropped") notify("plain", words("unsent.dropped"));
}

/** What was provisional is confirmed in so many words. */
const doneText = (tap: Tap, answer: unknown): string =>
  isChain(tap) ? words("provisional.confirmed", { message: messageOf(answer) }) : messageOf(answer);
