// Who is using this tablet: stays through a reload, ends with "Salir" or after ten minutes without a touch.
import { useEffect, useSyncExternalStore } from "react";

import type { Worker } from "@/api/types";
import { storage } from "@/storage/storage";

export const IDLE_MS_MAX = 10 * 60_000;
const TOUCH_KEPT_EVERY_MS = 5_000;
const RECENT_MAX = 8;
const WORKER = "carrete.worker";
const TOUCHED = "carrete.touched";
const RECENT = "carrete.recent";

let current: Worker | null = restored();
let touched = Number(storage.get(TOUCHED) ?? 0);
const watchers = new Set<() => void>();

function restored(): Worker | null {
  try {
    const kept = JSON.parse(storage.get(WORKER) ?? "null") as Worker | null;
    return Array.isArray(kept?.roles) && since(Number(storage.get(TOUCHED) ?? 0)) < IDLE_MS_MAX ? kept : null;
  } catch {
    return null;
  }
}

/** A tablet's clock may be put right, in either direction: then nobody knows how long it was. */
function since(at: number): number {
  return Math.abs(Date.now() - at);
}

/** "Salir", or another name, in another tab: a tablet is in one worker's hands. */
addEventListener("storage", ({ key }) => {
  if (key === WORKER) show(restored());
});

function become(worker: Worker | null): void {
  if (worker) storage.keep(WORKER, JSON.stringify(worker));
  else storage.remove(WORKER);
  show(worker);
}

function show(worker: Worker | null): void {
  current = worker;
  for (const watcher of watchers) watcher();
}

export function enter(worker: Worker): void {
  const others = recentIds().filter((id) => id !== worker.id);
  storage.keep(RECENT, JSON.stringify([worker.id, ...others].slice(0, RECENT_MAX)));
  touch();
  become(worker);
}

export const leave = (): void => become(null);

export const whoIsHere = (): Worker | null => current;

/** Who used this tablet lately, the last one first. */
export function recentIds(): number[] {
  try {
    const kept = JSON.parse(storage.get(RECENT) ?? "[]") as unknown;
    return Array.isArray(kept) ? kept.filter((id) => typeof id === "number") : [];
  } catch {
    return [];
  }
}

/** Roles change while somebody works; the tablet follows. False: whoever was here is no longer among the active ones. */
export function refresh(known: readonly Worker[]): boolean {
  if (!current) return true;
  const now = known.find((worker) => worker.id === current?.id) ?? null;
  if (JSON.stringify(now) !== JSON.stringify(current)) become(now);
  return now !== null;
}

function touch(): void {
  touched = Date.now();
  storage.keep(TOUCHED, String(touched));
}

function onTouch(): void {
  if (since(touched) > TOUCH_KEPT_EVERY_MS) touch();
}

function leaveWhenIdle(): void {
  const elsewhere = Number(storage.get(TOUCHED) ?? 0); // another tab may be in use
  if (since(elsewhere) < since(touched)) touched = elsewhere;
  if (current && since(touched) >= IDLE_MS_MAX) leave();
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

export const useWorker = (): Worker | null => useSyncExternalStore(watch, whoIsHere);

/** For the application's frame, once. */
export function useIdleExit(): void {
  useEffect(() => {
    const timer = setInterval(leaveWhenIdle, TOUCH_KEPT_EVERY_MS);
    addEventListener("pointerdown", onTouch, { passive: true });
    addEventListener("keydown", onTouch, { passive: true });
    return () => {
      clearInterval(timer);
      removeEventListener("pointerdown", onTouch);
      removeEventListener("keydown", onTouch);
    };
  }, []);
}
