// A spool that was asked for by its address or its code, and is opened as soon as somebody is signed in.
import { useSyncExternalStore } from "react";

/** Longer than signing in takes, shorter than until the next person comes. */
const WAITS_MS_MAX = 120_000;

let awaiting: { tag: string; at: number } | null = null;
const listeners = new Set<() => void>();

export function openWhenSignedIn(tag: string): void {
  set({ tag, at: Date.now() });
}

/** The spool that waits, which then waits no longer; null: none, or it waited too long. */
export function takeAwaitingTag(): string | null {
  const taken = awaiting;
  set(null);
  return taken !== null && Math.abs(Date.now() - taken.at) <= WAITS_MS_MAX ? taken.tag : null;
}

function set(changed: typeof awaiting): void {
  awaiting = changed;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useAwaitingTag = (): string | null => useSyncExternalStore(subscribe, () => awaiting?.tag ?? null);
