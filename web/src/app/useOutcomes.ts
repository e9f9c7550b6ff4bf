// Keeps the lists true after every tap and event, and says aloud what became of taps whose screen is gone.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";

import type { BatchAnswer, ActionAnswer, Worker } from "@/api/types";
import { words } from "@/i18n";
import { useConnection } from "@/live/hooks";
import { useFollower } from "@/shop/follow";
import { taps } from "@/taps/hooks";
import type { Outcome, Tap } from "@/taps/tap";
import { notify } from "@/ui/notices";

/** For the whole application, once: notices. What a reload interrupted is taken up when somebody can hear of it. */
export function useTapNotices(): void {
  const connection = useConnection();
  useEffect(() => {
    const stop = taps.hear((tap, outcome, owned) => !owned && tell(tap, outcome));
    taps.restore();
    return stop;
  }, []);
  useEffect(() => {
    if (connection === "live") taps.retryAll();
  }, [connection]);
}

/** As long as one worker is here. */
export function useOutcomes(worker: Worker): void {
  const follower = useFollower(worker.id);
  const cache = useQueryClient();
  useEffect(
    () =>
      taps.hear((tap, outcome) => {
        tap.about.tags.forEach((tag) => follower.look(tag));
        if (isAboutTheWorker(outcome)) void cache.invalidateQueries({ queryKey: ["workers"] });
      }),
    [follower, cache],
  );
}

/** Somebody changed their roles, or made them inactive: the tablet knows an older list. */
function isAboutTheWorker(outcome: Outcome<unknown>): boolean {
  return outcome.kind === "refused" && ["ROL_NO_AUTORIZADO", "WORKER_INACTIVO"].includes(outcome.problem.code);
}

function tell(tap: Tap, outcome: Outcome<unknown>): void {
  if (outcome.kind === "done") notify("good", messageOf(outcome.answer as ActionAnswer | BatchAnswer));
  else if (outcome.kind === "refused") notify("bad", `${tap.about.worker}: ${outcome.problem.detail}`, true);
  else if (outcome.kind === "dropped") notify("plain", words("unsent.dropped"));
}

function messageOf(answer: ActionAnswer | BatchAnswer): string {
  return "message" in answer
    ? answer.message
    : words("batch.result", { succeeded: answer.succeeded, total: answer.total });
}
