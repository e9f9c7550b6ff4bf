// Reads about which spools the person is asked: when the next question is due, and when one of those spools changes.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";

import { getTurno, type Turno } from "@/api/turno";
import { useLive } from "@/live/hooks";
import { taps } from "@/taps/hooks";
import { isAnswer, nextReadMs, withAnswers } from "./question";

export const turnoKey = (worker_id: number) => ["turno", worker_id] as const;

export function useTurno(worker_id: number): Turno | undefined {
  const cache = useQueryClient();
  const { data } = useQuery({
    queryKey: turnoKey(worker_id),
    queryFn: ({ signal }) => getTurno(worker_id, signal),
    refetchInterval: ({ state }) => nextReadMs(state.data),
    staleTime: 0,
  });
  const readAgain = (): void => void cache.invalidateQueries({ queryKey: turnoKey(worker_id) });
  useLive(({ tag_spool }) => {
    if (data?.spools.some((spool) => spool.tag_spool === tag_spool)) readAgain();
  }, readAgain);
  useEffect(
    () =>
      taps.onOutcome((tap, outcome) => {
        const key = turnoKey(worker_id);
        const before = cache.getQueryData<Turno>(key);
        if (!before?.spools.some(({ tag_spool }) => tap.about.tags.includes(tag_spool))) return;
        if (outcome.kind === "done" && isAnswer(tap, worker_id)) cache.setQueryData(key, withAnswers(before, tap.about.tags));
        void cache.invalidateQueries({ queryKey: key });
      }),
    [cache, worker_id],
  );
  return data;
}
