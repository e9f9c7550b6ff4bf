// The spools about which a worker wants a notice when they become free. Stored on this tablet for each worker; where the browser
// stores nothing, they last as long as the page is open.
import { useQueries } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";

import { RefusedError } from "@/api/http";
import type { Operacion, SpoolCard } from "@/api/types";
import { storage } from "@/storage/storage";
import { isOperacion } from "./operations";
import { useListPollInterval } from "./pollInterval";
import { cardQuery } from "./reads";

export interface Awaited {
  readonly tag: string;
  readonly operacion: Operacion;
}

/** A newer one replaces the oldest. */
export const AWAITED_MAX = 20;
const storageName = (worker_id: number): string => `carrete.awaited.${worker_id}`;
const loaded = new Map<number, readonly Awaited[]>();
const listeners = new Set<() => void>();

export function awaitSpool(worker_id: number, awaited: Awaited): void {
  const others = awaitedBy(worker_id).filter(({ tag }) => tag !== awaited.tag);
  save(worker_id, [...others, awaited].slice(-AWAITED_MAX));
}

export function stopAwaiting(worker_id: number, tag: string): void {
  const before = awaitedBy(worker_id);
  const others = before.filter((awaited) => awaited.tag !== tag);
  if (others.length < before.length) save(worker_id, others);
}

export function awaitedBy(worker_id: number): readonly Awaited[] {
  const awaited = loaded.get(worker_id) ?? load(worker_id);
  loaded.set(worker_id, awaited);
  return awaited;
}

function save(worker_id: number, awaited: readonly Awaited[]): void {
  loaded.set(worker_id, awaited);
  if (awaited.length > 0) storage.set(storageName(worker_id), JSON.stringify(awaited));
  else storage.remove(storageName(worker_id));
  for (const listener of listeners) listener();
}

function load(worker_id: number): readonly Awaited[] {
  try {
    const stored = JSON.parse(storage.get(storageName(worker_id)) ?? "[]") as unknown;
    return Array.isArray(stored) ? stored.filter(isAwaited).slice(-AWAITED_MAX) : [];
  } catch {
    return [];
  }
}

function isAwaited(value: unknown): value is Awaited {
  const { tag, operacion } = (value ?? {}) as Record<string, unknown>;
  return typeof tag === "string" && typeof operacion === "string" && isOperacion(operacion);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useAwaited = (worker_id: number): readonly Awaited[] =>
  useSyncExternalStore(subscribe, () => awaitedBy(worker_id));

/** `card` is undefined until it is read. `unknown`: the server knows no such spool any more. */
export interface AwaitedCard extends Awaited {
  card: SpoolCard | undefined;
  unknown: boolean;
}

/** These cards are the ones that the cache updater keeps up to date. */
export function useAwaitedCards(worker_id: number): AwaitedCard[] {
  const awaited = useAwaited(worker_id);
  const refetchInterval = useListPollInterval();
  const cards = useQueries({
    queries: awaited.map(({ tag }) => ({ ...cardQuery(tag, worker_id), refetchInterval })),
  });
  return awaited.map((spool, i) => ({ ...spool, card: cards[i]?.data, unknown: cards[i]?.error instanceof RefusedError }));
}
