// The taps in React: act, and see what still waits.
import { useEffect, useRef, useSyncExternalStore } from "react";

import type { Call } from "@/api/call";
import { postJson } from "@/api/http";
import { server } from "@/api/server-state";
import { storage } from "@/storage/storage";
import { ageMs, BY_ITSELF_MS_MAX, TapQueue } from "./queue";
import { keyOf, shelfIn } from "./shelf";
import type { About, Outcome, Tap } from "./tap";

export const taps = new TapQueue((path, body, key) => postJson(path, body, key), shelfIn(storage));

/** Two tabs of a tablet share its taps: one that is answered or dropped in the other is not sent from here. */
addEventListener("storage", ({ key: name, newValue }) => {
  const key = keyOf(name);
  if (key !== null && newValue === null) taps.closeElsewhere(key);
});

/** An old tap waits for a person and says nothing about the server. */
taps.watch(() => {
  const now = Date.now();
  server.tapsAreUnanswered(taps.taps().some((tap) => tap.state === "unsent" && ageMs(tap, now) < BY_ITSELF_MS_MAX));
});

export const useTaps = (): readonly Tap[] => useSyncExternalStore(taps.watch, taps.taps);

/** The tap that still waits for this spool, if any. */
export const useTapOn = (tag: string): Tap | undefined =>
  useTaps().find((tap) => tap.about.tags.includes(tag));

export type Act = <Body, Answer>(call: Call<Body, Answer>, body: Body, about: About) => Promise<Outcome<Answer>>;

/** Acts for the screen that is open. When it closes first, the outcome is told as a notice instead. */
export function useAct(): Act {
  const asked = useRef(new Set<Promise<Outcome<unknown>>>());
  const closed = useRef(false);
  useEffect(() => {
    const mine = asked.current;
    closed.current = false;
    return () => {
      closed.current = true;
      mine.forEach((promise) => taps.disown(promise));
    };
  }, []);
  return (call, body, about) => {
    const promise = taps.tap(call, body, about);
    asked.current.add(promise);
    if (closed.current) taps.disown(promise);
    return promise;
  };
}
