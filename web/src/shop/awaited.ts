// Spools that a worker wants to hear of when they become free. Kept on this tablet for this worker; where nothing can be
// kept, as long as the page is open.
import { useQueries } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";

import { Refused } from "@/api/http";
import type { Operacion, SpoolCard } from "@/api/types";
import { storage } from "@/storage/storage";
import { isOperacion } from "./operations";
import { cardQuery, useInterval } from "./reads";

export interface Awaited {
  readonly tag: string;
  readonly operacion: Operacion;
}

/** The oldest wish gives way to a newer one. */
export const AWAITED_MAX = 20;
const nameOf = (worker_id: number): string => `carrete.awaited.${worker_id}`;
const kept = new Map<number, readonly Awaited[]>();
const watchers = new Set<() => void>();

export function awaitSpool(worker_id: number, one: Awaited): void {
  const others = awaitedBy(worker_id).filter(({ tag }) => tag !== one.tag);
  keep(worker_id, [...others, one].slice(-AWAITED_MAX));
}

export function stopAwaiting(worker_id: number, tag: string): void {
  const before = awaitedBy(worker_id);
  const others = before.filter((one) => one.tag !== tag);
  if (others.length < before.length) keep(worker_id, others);
}

export function awaitedBy(worker_id: number): readonly Awaited[] {
  const known = kept.get(worker_id) ?? restored(worker_id);
  kept.set(worker_id, known);
  return known;
}

function keep(worker_id: number, awaited: readonly Awaited[]): void {
  kept.set(worker_id, awaited);
  if (awaited.length > 0) storage.keep(nameOf(worker_id), JSON.stringify(awaited));
  else storage.remove(nameOf(worker_id));
  for (const watcher of watchers) watcher();
}

function restored(worker_id: number): readonly Awaited[] {
  try {
    const found = JSON.parse(storage.get(nameOf(worker_id)) ?? "[]") as unknown;
    return Array.isArray(found) ? found.filter(isAwaited).slice(-AWAITED_MAX) : [];
  } catch {
    return [];
  }
}

function isAwaited(found: unknown): found is Awaited {
  const { tag, operacion } = (found ?? {}) as Record<string, unknown>;
  return typeof tag === "string" && typeof operacion === "string" && isOperacion(operacion);
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

export const useAwaited = (worker_id: number): readonly Awaited[] =>
  useSyncExternalStore(watch, () => awaitedBy(worker_id));

/** A wish and the spool's card as far as it was read; `unknown`: there is no such spool any more. */
export interface AwaitedCard extends Awaited {
  card: SpoolCard | undefined;
  unknown: boolean;
}

/** The cards are those that the stream keeps true. */
export function useAwaitedCards(worker_id: number): AwaitedCard[] {
  const awaited = useAwaited(worker_id);
  const refetchInterval = useInterval();
  const cards = useQueries({
    queries: awaited.map(({ tag }) => ({ ...cardQuery(tag, worker_id), refetchInterval })),
  });
  return awaited.map((one, i) => ({ ...one, card: cards[i]?.data, unknown: cards[i]?.error instanceof Refused }));
}
