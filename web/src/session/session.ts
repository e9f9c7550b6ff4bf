// The worker who is using this tablet. The session survives a reload and ends with "Salir" or after ten minutes without a touch.
import { useEffect, useSyncExternalStore } from "react";

import type { Worker } from "@/api/types";
import { storage } from "@/storage/storage";

export const IDLE_MS_MAX = 10 * 60_000;
const SAVE_TOUCH_EVERY_MS = 5_000;
const RECENT_MAX = 8;
const WORKER = "carrete.worker";
const TOUCHED = "carrete.touched";
const RECENT = "carrete.recent";

let current: Worker | null = storedWorker();
let lastTouchAt = Number(storage.get(TOUCHED) ?? 0);
const listeners = new Set<() => void>();

function storedWorker(): Worker | null {
  try {
    const stored = JSON.parse(storage.get(WORKER) ?? "null") as Worker | null;
    return Array.isArray(stored?.roles) && msSince(Number(storage.get(TOUCHED) ?? 0)) < IDLE_MS_MAX ? stored : null;
  } catch {
    return null;
  }
}

/** A tablet's clock may be set, forwards or backwards: a time in the future counts as long ago too. */
function msSince(at: number): number {
  return Math.abs(Date.now() - at);
}

/** "Salir", or another worker, in another tab: all tabs of a tablet have the same worker. */
addEventListener("storage", ({ key }) => {
  if (key === WORKER) publish(storedWorker());
});

function setWorker(worker: Worker | null): void {
  if (worker) storage.set(WORKER, JSON.stringify(worker));
  else storage.remove(WORKER);
  publish(worker);
}

function publish(worker: Worker | null): void {
  current = worker;
  for (const listener of listeners) listener();
}

export function startSession(worker: Worker): void {
  const others = recentWorkerIds().filter((id) => id !== worker.id);
  storage.set(RECENT, JSON.stringify([worker.id, ...others].slice(0, RECENT_MAX)));
  saveTouch();
  setWorker(worker);
}

export const endSession = (): void => setWorker(null);

export const currentWorker = (): Worker | null => current;

/** The workers who used this tablet lately, the last one first. */
export function recentWorkerIds(): number[] {
  try {
    const stored = JSON.parse(storage.get(RECENT) ?? "[]") as unknown;
    return Array.isArray(stored) ? stored.filter((id) => typeof id === "number") : [];
  } catch {
    return [];
  }
}

/** Takes over the current worker's roles, which may change during the session. False: the worker is no longer active. */
export function refreshWorker(activeWorkers: readonly Worker[]): boolean {
  if (!current) return true;
  const now = activeWorkers.find((worker) => worker.id === current?.id) ?? null;
  if (JSON.stringify(now) !== JSON.stringify(current)) setWorker(now);
  return now !== null;
}

function saveTouch(): void {
  lastTouchAt = Date.now();
  storage.set(TOUCHED, String(lastTouchAt));
}

function onTouch(): void {
  if (msSince(lastTouchAt) > SAVE_TOUCH_EVERY_MS) saveTouch();
}

function endWhenIdle(): void {
  const inAnyTab = Number(storage.get(TOUCHED) ?? 0); // another tab may be in use
  if (msSince(inAnyTab) < msSince(lastTouchAt)) lastTouchAt = inAnyTab;
  if (current && msSince(lastTouchAt) >= IDLE_MS_MAX) endSession();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useWorker = (): Worker | null => useSyncExternalStore(subscribe, currentWorker);

/** For the application's frame, once. */
export function useIdleExit(): void {
  useEffect(() => {
    const timer = setInterval(endWhenIdle, SAVE_TOUCH_EVERY_MS);
    addEventListener("pointerdown", onTouch, { passive: true });
    addEventListener("keydown", onTouch, { passive: true });
    return () => {
      clearInterval(timer);
      removeEventListener("pointerdown", onTouch);
      removeEventListener("keydown", onTouch);
    };
  }, []);
}
