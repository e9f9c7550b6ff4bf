// The copy for the time without a connection, in React.
import { useEffect, useSyncExternalStore } from "react";

import { server } from "@/api/server-state";
import { stream } from "@/live/stream";
import { currentAccess, subscribeAccess } from "@/session/access";
import { currentWorker } from "@/session/session";
import { database } from "@/storage/database";
import { forgetUnnamedPhotos } from "@/taps/hooks";
import { offlineCopy, type OfflineCopy } from "./copy";

const REFRESH_EVERY_MS = 5 * 60_000;
/** After the connection comes back, a copy that is younger is not asked for again. */
const FRESH_MS = 60_000;
/** Tablets that come back together do not all ask at once; their taps go first. */
const SPREAD_MS = 20_000;

/** The copy of this person; null: none is stored, or it is not read yet. */
export function useOfflineCopy(worker_id: number): OfflineCopy | null {
  const copy = useSyncExternalStore(offlineCopy.subscribe, offlineCopy.current);
  return copy?.worker_id === worker_id ? copy : null;
}

/** For as long as one person uses the tablet: reads the stored copy, and keeps it fresh while the server is there. */
export function useKeepCopy(worker_id: number): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let stopped = false;
    const soon = (ms: number): void => {
      clearTimeout(timer);
      timer = setTimeout(refresh, ms);
    };
    const refresh = (): void => {
      if (stopped) return;
      if (!server.isAway()) offlineCopy.refresh(worker_id).catch(() => undefined);
      soon(REFRESH_EVERY_MS + Math.random() * SPREAD_MS);
    };
    const isOld = (): boolean => Math.abs(Date.now() - (offlineCopy.current()?.seenAt ?? 0)) > FRESH_MS;
    void offlineCopy.open(worker_id).then(refresh);
    const stopLate = database.onOpenedLate(() => void offlineCopy.open(worker_id));
    // What the stream tells afterwards, the cache updater reads and puts into the copy.
    const stop = stream.listen({ onUpdate: () => undefined, onStart: () => isOld() && soon(Math.random() * SPREAD_MS) });
    return () => {
      stopped = true;
      clearTimeout(timer);
      stop();
      stopLate();
      offlineCopy.start(); // for whoever comes next; not reached by a reload
    };
  }, [worker_id]);
}

/** For the whole page, once: without a connection the copy is read while the screens are still loading. With one it would only be in
 * the way of the first list. */
export function readCopyEarly(): void {
  const read = (): void => {
    const worker = currentWorker();
    if (worker) void offlineCopy.open(worker.id);
  };
  if (!navigator.onLine) {
    read();
    return;
  }
  const stop = server.subscribe(() => {
    if (!server.isAway()) return;
    stop();
    read();
  });
}

/** For the whole page, once: a device that is not enrolled, or not any more, keeps nothing of the shop. Also at the start: the
 * tablet may have been switched off before it had deleted everything. */
export function wipeWhenRevoked(): void {
  let wasEnrolled = true;
  const follow = (): void => {
    const access = currentAccess();
    if (!access || access.modo === "open") return;
    const enrolled = access.dispositivo !== null;
    if (wasEnrolled && !enrolled) {
      void offlineCopy.wipe();
      void forgetUnnamedPhotos();
    } else if (!enrolled) offlineCopy.wipeRest();
    wasEnrolled = enrolled;
  };
  subscribeAccess(follow);
  database.onOpenedLate(() => offlineCopy.wipeRest());
  follow();
}
