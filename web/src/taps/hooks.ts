// The taps in React: send an action, and see which taps still wait for an answer.
import { useEffect, useRef, useSyncExternalStore } from "react";

import type { Call } from "@/api/call";
import { server } from "@/api/server-state";
import { openChannel } from "@/storage/channel";
import { askToPersist, database } from "@/storage/database";
import { storage } from "@/storage/storage";
import { isAhead } from "./chain";
import { photosOf, photoStore, postTap } from "./photos";
import { ageMs, retryMsMax, TapQueue, type NewStep, type StepResult } from "./queue";
import { authorIdOf, isWorkOn, type Tap, type TapDetails, type TapOutcome } from "./tap";
import { tapKeyOf, tapStorageIn, tapStorageInBoth, type TapStorage } from "./tapStorage";

/** Two tabs of a tablet share its taps: a tap that is answered, dropped or made longer in the other tab is not sent from here. */
const channel = openChannel("carrete.taps");

/** What one tab tells the others; `longer`: a longer chain has taken its place. */
interface Closed {
  key: string;
  longer: boolean;
}

function announced(inner: TapStorage): TapStorage {
  const tell = (key: string, longer: boolean): void => channel?.postMessage({ key, longer } satisfies Closed);
  return {
    ...inner,
    replace: async (key, tap) => {
      const stored = await inner.replace(key, tap);
      if (stored !== "late") tell(key, true);
      return stored;
    },
    remove: async (key) => {
      await inner.remove(key);
      tell(key, false);
    },
  };
}

const both = tapStorageInBoth(database, tapStorageIn(storage, storage.isVolatile));

export const taps = new TapQueue(postTap, announced(both), Date.now, server.isReachable);

/** In another tab, that tab forgets them. */
taps.onOutcome((tap, { kind }) => {
  const photos = photosOf(tap);
  if (photos.length > 0 && kind !== "elsewhere") void photoStore.forget(photos);
});

/** With the copy of the spools: photos of notes that no tap on this tablet names. None, if it cannot be read which taps there are. */
export async function forgetUnnamedPhotos(): Promise<void> {
  const stored = await both.all();
  if (stored.whole && !database.isAbsent()) await photoStore.forgetUnnamed([...stored.taps, ...taps.taps()]);
}

channel?.addEventListener("message", ({ data }: MessageEvent<Closed>) => {
  taps.closeElsewhere(data.key);
  if (data.longer) void taps.restore();
});
database.onOpenedLate(() => void taps.restore());
addEventListener("storage", ({ key: name, newValue }) => {
  const key = tapKeyOf(name);
  if (key !== null && newValue === null) taps.closeElsewhere(key);
});

/** The server is there again: what was kept for it is sent. */
let wasReachable = server.isReachable();
server.subscribe(() => {
  const now = server.isReachable();
  if (now && !wasReachable) taps.retryAll();
  wasReachable = now;
});

/** A tap that is too old to be retried, or that waits for its author, says nothing about the server. */
taps.subscribe(() => {
  const now = Date.now();
  const isUnanswered = (tap: Tap): boolean =>
    tap.state === "unsent" && !tap.waits && ageMs(tap, now) < retryMsMax(tap);
  server.tapsAreUnanswered(taps.taps().some(isUnanswered));
});

export const useTaps = (): readonly Tap[] => useSyncExternalStore(taps.subscribe, taps.taps);

/** The tap on this spool that still waits for its answer, if any: this worker's own before another's. */
export function useTapOn(tag: string, worker_id: number): Tap | undefined {
  const onSpool = useTaps().filter((tap) => isWorkOn(tap, tag));
  return onSpool.find((tap) => authorIdOf(tap) === worker_id) ?? onSpool[0];
}

/** All taps on this spool that still wait: this worker's, in their order, or else another's. */
export function useTapsOn(tag: string, worker_id: number): readonly Tap[] {
  const onSpool = useTaps().filter((tap) => isWorkOn(tap, tag));
  const own = onSpool.filter((tap) => authorIdOf(tap) === worker_id);
  return own.length > 0 ? own : onSpool.slice(0, 1);
}

/** A step that is tapped while there is no connection, or after one that has no answer yet. */
export function addStep(step: NewStep): Promise<StepResult> {
  void askToPersist();
  return taps.step(step);
}

/** Whether what this worker taps on this spool now is provisional. */
export const isProvisional = (tag: string, worker_id: number): boolean =>
  server.isAway() || taps.taps().some((tap) => isWorkOn(tap, tag) && authorIdOf(tap) === worker_id && isAhead(tap, false));

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
