// What the floor's screens read, and under which names it is cached.
import { queryOptions, useInfiniteQuery, useQuery, type InfiniteData } from "@tanstack/react-query";
import { useMemo } from "react";

import { getCard } from "@/api/card";
import { listSpools, type SpoolQuery } from "@/api/spools";
import type { Operacion, Spool, SpoolPage } from "@/api/types";
import { useConnection } from "@/live/hooks";
import type { Connection } from "@/live/stream";
import { merged, type Pages } from "./merge";

export const PAGE_SPOOLS = 100;
const HELD_MAX = 500;
/** How often lists are read while the stream is down. */
const WITHOUT_STREAM_MS = 5_000;
/** A spool that engineering adds makes no event: somebody who waits in front of an empty list has to ask for it. */
const EMPTY_MS = 10_000;

/** The actions that a list can be asked for. */
type ListAccion = NonNullable<SpoolQuery["accion"]>;

export interface FreeKey {
  operacion: Operacion;
  accion: ListAccion;
  worker_id: number;
  q: string;
}

export const keys = {
  held: (worker_id: number) => ["held", worker_id] as const,
  free: (asked: FreeKey) => ["free", asked] as const,
  card: (tag: string, worker_id: number) => ["card", tag, worker_id] as const,
};

/** With which actions a spool is taken up for an operation: one list of the server each. */
export const TAKES: Record<Operacion, readonly ListAccion[]> = {
  ARM: ["TOMAR", "INICIAR"],
  SOLD: ["TOMAR", "INICIAR"],
  METROLOGIA: ["INSPECCIONAR"],
  REPARACION: ["TOMAR"],
};

type Asked = { state: { status: "pending" | "error" | "success" } };

/** The stream tells what changes; without it, and after a read that nobody answered, one has to ask again. */
export const intervalOf = (connection: Connection, { state }: Asked): number | false =>
  connection === "live" && state.status !== "error" ? false : WITHOUT_STREAM_MS;

/** For `refetchInterval`. */
export function useInterval(): (query: Asked) => number | false {
  const connection = useConnection();
  return (query) => intervalOf(connection, query);
}

/** Everything this worker holds, for whichever operation. */
export function useHeld(worker_id: number) {
  return useQuery({
    queryKey: keys.held(worker_id),
    queryFn: async ({ signal }) => (await listSpools({ worker_id, limit: HELD_MAX }, signal)).spools,
    refetchInterval: useInterval(),
  });
}

function useFreeOf(asked: FreeKey, enabled: boolean) {
  const interval = useInterval();
  return useInfiniteQuery({
    queryKey: keys.free(asked),
    queryFn: ({ pageParam, signal }) => listSpools({ ...asked, cursor: pageParam, limit: PAGE_SPOOLS }, signal),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: (query) => interval(query) || (query.state.data?.pages[0]?.total === 0 && EMPTY_MS),
    enabled,
  });
}

export interface Free {
  spools: Spool[];
  total: number | null;
  pending: boolean;
  failed: boolean;
  more: boolean;
  loadMore: () => void;
  retry: () => void;
}

/** What can be taken up for this operation, both workflows in one list. */
export function useFree(worker_id: number, operacion: Operacion, q: string, enabled = true): Free {
  const [first = "TOMAR", second] = TAKES[operacion];
  const a = useFreeOf({ operacion, accion: first, worker_id, q }, enabled);
  const b = useFreeOf({ operacion, accion: second ?? first, worker_id, q }, enabled && second !== undefined);
  const lists = second === undefined ? [a] : [a, b];
  const pages = useMemo(
    () => (second === undefined ? [pagesOf(a.data)] : [pagesOf(a.data), pagesOf(b.data)]),
    [second, a.data, b.data],
  );
  return {
    spools: useMemo(() => merged(pages), [pages]),
    total: lists.every((list) => list.data) ? sum(lists.map((list) => list.data?.pages.at(-1)?.total ?? 0)) : null,
    pending: enabled && lists.some((list) => list.isPending),
    failed: lists.some((list) => list.isError && !list.data),
    more: pages.some((page) => page.more),
    loadMore: () => lists.forEach((list) => list.hasNextPage && !list.isFetchingNextPage && void list.fetchNextPage()),
    retry: () => lists.forEach((list) => void list.refetch()),
  };
}

/** For a list without a row: is there nothing to do here, or nothing in the whole shop? */
export function useShopIsEmpty(): boolean {
  const { data } = useQuery({
    queryKey: ["any"],
    queryFn: async ({ signal }) => (await listSpools({ limit: 1 }, signal)).total,
    staleTime: 0,
    refetchInterval: EMPTY_MS,
  });
  return data === 0;
}

export function pagesOf(data: InfiniteData<SpoolPage> | undefined): Pages {
  if (!data) return { spools: [], more: true };
  return { spools: data.pages.flatMap((page) => page.spools), more: data.pages.at(-1)?.next_cursor !== null };
}

const sum = (numbers: number[]): number => numbers.reduce((a, b) => a + b, 0);

export const cardQuery = (tag: string, worker_id: number) =>
  queryOptions({
    queryKey: keys.card(tag, worker_id),
    queryFn: ({ signal }) => getCard(tag, worker_id, signal),
    staleTime: 0,
  });

/** Also says how the spool is worked now: nothing else on the floor decides that. */
export function useCard(tag: string, worker_id: number) {
  return useQuery({ ...cardQuery(tag, worker_id), refetchInterval: useInterval() });
}
