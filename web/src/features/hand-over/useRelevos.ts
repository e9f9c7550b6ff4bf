// The offers to a person and by a person, read every 10 seconds: an offer has no event that the stream could tell of. And the calls.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { RefusedError } from "@/api/http";
import { answerOffer, listRelevos, offerSpool, type OfferBody, type Relevo, type Relevos } from "@/api/relevos";
import type { Worker } from "@/api/types";
import { useIsAway } from "@/live/hooks";
import { useProblemText } from "@/shop/useOfficeRequest";
import { newKey } from "@/taps/key";
import { CallKeys } from "./callKeys";

const RELEVOS = "relevos";
const ASK_EVERY_MS = 10_000;
const NONE: Relevos = { recibidos: [], ofrecidos: [] };

/** Nothing while the server is away: it could not be answered. */
export function useRelevos(worker: Worker): Relevos {
  const away = useIsAway();
  const { data } = useQuery({
    queryKey: [RELEVOS, worker.id],
    queryFn: ({ signal }) => listRelevos(worker.id, signal),
    refetchInterval: ASK_EVERY_MS,
    staleTime: 0,
  });
  return away ? NONE : (data ?? NONE);
}

/** The server's sentence: what was done, or why not. */
export interface RelevoResult {
  done: boolean;
  text: string;
}

export interface RelevoCalls {
  busy: boolean;
  offer: (body: OfferBody) => Promise<RelevoResult>;
  answer: (answer: "aceptar" | "retirar" | "rechazar", relevo: Relevo) => Promise<RelevoResult>;
}

export function useRelevoCalls(worker: Worker): RelevoCalls {
  const cache = useQueryClient();
  const problemText = useProblemText();
  const [busy, setBusy] = useState(false);
  const [keys] = useState(() => new CallKeys(newKey));

  async function run(about: unknown, call: (key: string) => Promise<{ message: string }>): Promise<RelevoResult> {
    setBusy(true);
    try {
      const { message } = await call(keys.of(about));
      keys.answered(about);
      return { done: true, text: message };
    } catch (error) {
      if (error instanceof RefusedError) keys.answered(about);
      return { done: false, text: problemText(error) };
    } finally {
      setBusy(false);
      void cache.invalidateQueries({ queryKey: [RELEVOS] });
    }
  }

  return {
    busy,
    offer: (body) => run(body, (key) => offerSpool(body, key)),
    answer: (answer, { id, tag_spool, operacion }) =>
      run([answer, id], (key) => answerOffer(answer, { tag_spool, operacion, worker_id: worker.id }, key)),
  };
}
