// The taps in React: act, and see what still waits.
import { useEffect, useRef, useSyncExternalStore } from "react";

import type { Call } from "@/api/call";
import { postJson } from "@/api/http";
import { TapQueue } from "./queue";
import { shelfIn } from "./shelf";
import type { About, Outcome, Tap } from "./tap";

export const taps = new TapQueue((path, body, key) => postJson(path, body, key), shelfIn(localStorage));

export const useTaps = (): readonly Tap[] => useSyncExternalStore(taps.watch, taps.taps);

/** The tap that still waits for this spool, if any. */
export const useTapOn = (tag: string): Tap | undefined =>
  useTaps().find((tap) => tap.about.tags.includes(tag));

export type Act = <Body, Answer>(call: Call<Body, Answer>, body: Body, about: About) => Promise<Outcome<Answer>>;

/** Acts for the screen that is open. When it closes first, the outcome is told as a notice instead. */
export function useAct(): Act {
  const asked = useRef(new Set<Promise<Outcome<unknown>>>());
  useEffect(() => {
    const mine = asked.current;
    return () => mine.forEach((promise) => taps.disown(promise));
  }, []);
  return (call, body, about) => {
    const promise = taps.tap(call, body, about);
    asked.current.add(promise);
    return promise;
  };
}
