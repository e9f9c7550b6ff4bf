// The worker who is using this tablet, and whether the screen is locked. It survives a reload. Where the server knows identities it
// mirrors the session that the server began; without identities (mode `open`) it ends after ten minutes without a touch.
import { useSyncExternalStore } from "react";

import type { Worker } from "@/api/types";
import { storage } from "@/storage/storage";
import { isOpen } from "./access";
import { isIdle } from "./idle";

export const IDLE_MS_MAX = 10 * 60_000;
export const SESSION_MS_MAX = 12 * 3_600_000;
const RECENT_MAX = 8;
const WORKER = "carrete.worker";
const SESSION = "carrete.session";
const LOCKED = "carrete.locked";
export const TOUCHED = "carrete.touched";
const RECENT = "carrete.recent";

/** Why the screen is locked. `seal`: the PIN typed without a connection was wrong. */
export type LockReason = "idle" | "seal";

/** A session that the server began on this device. */
export interface SignedSession {
  session: string;
  proof: string;
  /** The sealed PIN with which the screen was opened, while the server has not found it right. */
  seal: string | null;
  /** When the server ends it at the latest, by this tablet's clock; epoch ms. Nothing is signed after that. */
  until: number;
}

export interface Visit {
  worker: Worker | null;
  /** Null in mode `open`. */
  signed: SignedSession | null;
  locked: LockReason | null;
}

const NOBODY: Visit = { worker: null, signed: null, locked: null };
let visit: Visit = storedVisit();
const listeners = new Set<() => void>();

function storedVisit(): Visit {
  const worker = parsed(storage.get(WORKER)) as Worker | null;
  if (!Array.isArray(worker?.roles)) return NOBODY;
  if (isOpen()) return isIdle(touchedAt(), Date.now(), IDLE_MS_MAX) ? NOBODY : { ...NOBODY, worker };
  const signed = parsed(storage.get(SESSION)) as SignedSession | null;
  return signed ? { worker, signed, locked: storage.get(LOCKED) as LockReason | null } : NOBODY;
}

/** When the tablet was last touched, in any of its tabs; epoch ms. */
export function touchedAt(): number {
  return Number(storage.get(TOUCHED) ?? 0);
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
}

/** "Salir", another worker, or a lock, in another tab: all tabs of a tablet have the same worker. */
addEventListener("storage", ({ key }) => {
  if (key === WORKER || key === SESSION || key === LOCKED) publish(storedVisit());
});

export function setVisit(changes: Partial<Visit>): void {
  const changed = { ...visit, ...changes };
  store(SESSION, changed.signed && JSON.stringify(changed.signed));
  store(LOCKED, changed.locked);
  store(WORKER, changed.worker && JSON.stringify(changed.worker));
  publish(changed);
}

function store(name: string, value: string | null): void {
  if (value === null) storage.remove(name);
  else if (storage.get(name) !== value) storage.set(name, value);
}

function publish(changed: Visit): void {
  visit = changed;
  for (const listener of listeners) listener();
}

/** In mode `open`: the worker said their name, and nobody checks it. */
export function startSession(worker: Worker): void {
  rememberRecent(worker.id);
  storage.set(TOUCHED, String(Date.now()));
  setVisit({ ...NOBODY, worker });
}

export function rememberRecent(id: number): void {
  const others = recentWorkerIds().filter((other) => other !== id);
  storage.set(RECENT, JSON.stringify([id, ...others].slice(0, RECENT_MAX)));
}

/** Forgets the worker here; `signOut` also tells the server. */
export const clearVisit = (): void => setVisit(NOBODY);

export const currentVisit = (): Visit => visit;
export const currentWorker = (): Worker | null => visit.worker;

/** The workers who used this tablet lately, the last one first. */
export function recentWorkerIds(): number[] {
  const stored = parsed(storage.get(RECENT));
  return Array.isArray(stored) ? stored.filter((id) => typeof id === "number") : [];
}

/** Takes over the current worker's roles, which may change during the session. False: the worker is no longer active, and must be
 * signed out. */
export function refreshWorker(activeWorkers: readonly Worker[]): boolean {
  const { worker } = visit;
  if (!worker) return true;
  const now = activeWorkers.find(({ id }) => id === worker.id) ?? null;
  if (now && JSON.stringify(now) !== JSON.stringify(worker)) setVisit({ worker: now });
  return now !== null;
}

export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useVisit = (): Visit => useSyncExternalStore(subscribe, currentVisit);
export const useWorker = (): Worker | null => useSyncExternalStore(subscribe, currentWorker);
