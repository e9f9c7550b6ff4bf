// The taps in React: send an action, and see which taps still wait for an answer.
import { useEffect, useRef, useSyncExternalStore } from "react";

import type { Call } from "@/api/call";
import { postText } from "@/api/http";
import { server } from "@/api/server-state";
import { storage } from "@/storage/storage";
import { ageMs, AUTO_RETRY_MS_MAX, TapQueue } from "./queue";
import { authorIdOf, type Tap, type TapDetails, type TapOutcome } from "./tap";
import { tapKeyOf, tapStorageIn } from "./tapStorage";

export const taps = new TapQueue(postText, tapStorageIn(storage));

/** Two tabs of a tablet share its taps: a tap that is answered or dropped in the other tab is not sent from here. */
addEventListener("storage", ({ key: name, newValue }) => {
  const key = tapKeyOf(name);
  if (key !== null && newValue === null) taps.closeElsewhere(key);
});

/** A tap that is too old to be retried, or that waits for its author, says nothing about the server. */
taps.subscribe(() => {
  const now = Date.now();
  const isUnanswered = (tap: Tap): boolean => tap.state === "unsent" && !tap.waits && ageMs(tap, now) < AUTO_RETRY_MS_MAX;
  server.tapsAreUnanswered(taps.taps().some(isUnanswered));
});

export const useTaps = (): readonly Tap[] => useSyncExternalStore(taps.subscribe, taps.taps);

/** The tap on this spool that still waits for its answer, if any: this worker's own before another's. */
export function useTapOn(tag: string, worker_id: number): Tap | undefined {
  const onSpool = useTaps().filter((tap) => tap.about.tags.includes(tag));
  return onSpool.find((tap) => authorIdOf(tap) === worker_id) ?? onSpool[0];
}

export type Act = <Body, Answer>(call: Call<Body, Answer>, body: Body, about: TapDetails) => Promise<TapOutcome<Answer>>;

/** Sends actions for the screen that is open. If the screen closes before the answer, a notice shows the outcome instead. */
export function useAct(): Act {
  const sent = useRef(new Set<Promise<TapOutcome<unknown>>>());
  const closed = useRef(false);
  useEffect(() => {
    const promises = sent.current;
    closed.current = false;
    return () => {
      closed.current = true;
      promises.forEach((promise) => taps.disown(promise));
    };
  }, []);
  return (call, body, about) => {
    const promise = taps.tap(call, body, about);
    sent.current.add(promise);
    if (closed.current) taps.disown(promise);
    return promise;
  };
}
