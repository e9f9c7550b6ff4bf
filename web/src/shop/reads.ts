// What the screens of the floor read, and the keys under which it is cached.
import { queryOptions, useInfiniteQuery, useQuery, type InfiniteData } from "@tanstack/react-query";
import { useMemo } from "react";

import { getCard } from "@/api/card";
import { listSpools, type SpoolQuery } from "@/api/spools";
import type { Operacion, Spool, SpoolListPage } from "@/api/types";
import { offlineCopy } from "@/offline/copy";
import { mergeLists, type LoadedSpools } from "./merge";
import { useListPollInterval } from "./pollInterval";

export const PAGE_SPOOLS = 100;
const HELD_MAX = 500;
/** A spool that engineering adds makes no event: an empty list is read again until it has one. */
const EMPTY_MS = 10_000;

/** The actions that the server has a list for. */
type ListAccion = NonNullable<SpoolQuery["accion"]>;

export interface FreeKey {
  operacion: Operacion;
  accion: ListAccion;
  worker_id: number;
  q: string;
}

export const keys = {
  held: (worker_id: number) => ["held", worker_id] as const,
  free: (list: FreeKey) => ["free", list] as const,
  card: (tag: string, worker_id: number) => ["card", tag, worker_id] as const,
};

/** The actions that begin work on a spool, by operation: one list of the server each. */
export const STARTING_ACTIONS: Record<Operacion, readonly ListAccion[]> = {
  ARM: ["TOMAR", "INICIAR"],
  SOLD: ["TOMAR", "INICIAR"],
  METROLOGIA: ["INSPECCIONAR"],
  REPARACION: ["TOMAR"],
};

/** All spools that this worker holds, for any operation. */
export function useHeld(worker_id: number) {
  return useQuery({
    queryKey: keys.held(worker_id),
    queryFn: async ({ signal }) => (await listSpools({ worker_id, limit: HELD_MAX }, signal)).spools,
    refetchInterval: useListPollInterval(),
  });
}

function useFreeList(list: FreeKey, enabled: boolean) {
  const interval = useListPollInterval();
  return useInfiniteQuery({
    queryKey: keys.free(list),
    queryFn: ({ pageParam, signal }) => listSpools({ ...list, cursor: pageParam, limit: PAGE_SPOOLS }, signal),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: (query) => interval(query) || (query.state.data?.pages[0]?.total === 0 && EMPTY_MS),
    enabled,
  });
}

export interface FreeSpools {
  spools: Spool[];
  total: number | null;
  pending: boolean;
  failed: boolean;
  more: boolean;
  loadMore: () => void;
  retry: () => void;
}

/** The spools on which work for this operation can begin, both workflows in one list. */
export function useFree(worker_id: number, operacion: Operacion, q: string, enabled = true): FreeSpools {
  const [first = "TOMAR", second] = STARTING_ACTIONS[operacion];
  const a = useFreeList({ operacion, accion: first, worker_id, q }, enabled);
  const b = useFreeList({ operacion, accion: second ?? first, worker_id, q }, enabled && second !== undefined);
  const lists = second === undefined ? [a] : [a, b];
  const loaded = useMemo(
    () => (second === undefined ? [loadedSpools(a.data)] : [loadedSpools(a.data), loadedSpools(b.data)]),
    [second, a.data, b.data],
  );
  return {
    spools: useMemo(() => mergeLists(loaded), [loaded]),
    total: lists.every((list) => list.data) ? sum(lists.map((list) => list.data?.pages.at(-1)?.total ?? 0)) : null,
    pending: enabled && lists.some((list) => list.isPending),
    failed: lists.some((list) => list.isError && !list.data),
    more: loaded.some(({ more }) => more),
    loadMore: () => lists.forEach((list) => list.hasNextPage && !list.isFetchingNextPage && void list.fetchNextPage()),
    retry: () => lists.forEach((list) => void list.refetch()),
  };
}

/** For an empty list: whether the whole shop has no spool. */
export function useShopIsEmpty(): boolean {
  const { data } = useQuery({
    queryKey: ["any"],
    queryFn: async ({ signal }) => (await listSpools({ limit: 1 }, signal)).total,
    staleTime: 0,
    refetchInterval: EMPTY_MS,
  });
  return data === 0;
}

export function loadedSpools(data: InfiniteData<SpoolListPage> | undefined): LoadedSpools {
  if (!data) return { spools: [], more: true };
  return { spools: data.pages.flatMap((page) => page.spools), more: data.pages.at(-1)?.next_cursor !== null };
}

const sum = (numbers: number[]): number => numbers.reduce((a, b) => a + b, 0);

export const cardQuery = (tag: string, worker_id: number) =>
  queryOptions({
    queryKey: keys.card(tag, worker_id),
    queryFn: async ({ signal }) => {
      const card = await getCard(tag, worker_id, signal);
      offlineCopy.put(worker_id, card);
      return card;
    },
    staleTime: 0,
  });

/** The card also says in which workflow the spool is worked now; the floor takes it from nowhere else. */
export function useCard(tag: string, worker_id: number) {
  return useQuery({ ...cardQuery(tag, worker_id), refetchInterval: useListPollInterval() });
}
