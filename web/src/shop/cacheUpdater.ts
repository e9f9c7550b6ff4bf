// Keeps the cached lists up to date: an event of the stream changes the spool's rows at once; then the spool's card is read,
// and the card decides in which lists the spool belongs.
import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";

import { getCard } from "@/api/card";
import type { Spool, SpoolCard, SpoolListPage, SpoolUpdate } from "@/api/types";
import { useLive } from "@/live/hooks";
import { offlineCopy } from "@/offline/copy";
import { byTag, insertSpool, matches } from "./merge";
import { idOf } from "./progress";
import { keys, loadedSpools, type FreeKey } from "./reads";

const GATHER_MS = 80;
/** When more spools than this change at once, reading the lists again is cheaper than reading the cards. */
const CARDS_MAX = 12;

type PagedList = InfiniteData<SpoolListPage>;

export class CacheUpdater {
  private changed = new Set<string>();
  private reads = new Map<string, number>(); // how often each spool's card was read
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly cache: QueryClient,
    private readonly worker_id: number,
  ) {}

  applyEvent(update: SpoolUpdate): void {
    const { tag_spool, ocupado_por, estado_detalle, version, version_workflow } = update;
    const changes = { ocupado_por, ocupado_por_id: idOf(ocupado_por), estado_detalle, version, version_workflow };
    this.changeRows(tag_spool, (spool) => ({ ...spool, ...changes }));
    this.readCardSoon(tag_spool);
  }

  /** Waits a moment, so that spools that change together are read together. */
  readCardSoon(tag: string): void {
    this.changed.add(tag);
    this.timer ??= setTimeout(() => void this.readCards(), GATHER_MS);
  }

  /** Everything that was read before may be out of date. */
  readAllAgain(): void {
    void this.cache.invalidateQueries();
  }

  /** Removes the lists from the cache: without an updater they would grow out of date. */
  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    for (const kind of ["held", "free", "card", "available"]) this.cache.removeQueries({ queryKey: [kind] });
  }

  private async readCards(): Promise<void> {
    const tags = [...this.changed];
    this.changed.clear();
    this.timer = undefined;
    if (tags.length > CARDS_MAX) this.readAllAgain();
    else await Promise.all(tags.map((tag) => this.readCard(tag)));
  }

  private async readCard(tag: string): Promise<void> {
    const read = (this.reads.get(tag) ?? 0) + 1;
    this.reads.set(tag, read);
    try {
      const card = await getCard(tag, this.worker_id);
      await this.cache.cancelQueries({ queryKey: keys.card(tag, this.worker_id) }); // an older read must not overwrite it
      if (this.reads.get(tag) !== read) return; // answers overtake each other; the last read counts
      offlineCopy.put(this.worker_id, card);
      this.cache.setQueryData(keys.card(tag, this.worker_id), card);
      this.updateHeldList(card);
      this.updateFreeLists(card);
    } catch {
      this.readAllAgain(); // the lists then show the spool's state, or that the server is unreachable
    }
  }

  private updateHeldList(card: SpoolCard): void {
    this.cache.setQueryData<Spool[]>(keys.held(this.worker_id), (held) => {
      const others = held?.filter((spool) => spool.tag_spool !== card.tag_spool);
      return card.ocupado_por_id === this.worker_id ? others && [...others, card].sort(byTag) : others;
    });
  }

  private updateFreeLists(card: SpoolCard): void {
    for (const [key, data] of this.cache.getQueriesData<PagedList>({ queryKey: ["free"] })) {
      const list = key[1] as FreeKey;
      if (!data || list.worker_id !== this.worker_id) continue;
      this.cache.setQueryData<PagedList>(key, withSpools(data, freeSpoolsAfter(data, card, list)));
    }
  }

  private changeRows(tag: string, change: (spool: Spool) => Spool): void {
    const changeRow = (spool: Spool): Spool => (spool.tag_spool === tag ? change(spool) : spool);
    this.cache.setQueryData<Spool[]>(keys.held(this.worker_id), (held) => held?.map(changeRow));
    this.cache.setQueriesData<PagedList>(
      { queryKey: ["free"] },
      (data) => data && { ...data, pages: data.pages.map((page) => ({ ...page, spools: page.spools.map(changeRow) })) },
    );
  }
}

/** A spool that another worker took stays in its row, greyed: rows must not jump under a finger. */
function freeSpoolsAfter(data: PagedList, card: SpoolCard, list: FreeKey): Spool[] {
  const loaded = loadedSpools(data);
  const offered = card.acciones.some(({ accion, operacion }) => accion === list.accion && operacion === list.operacion);
  if (offered && matches(card, list.q)) return insertSpool(loaded, card);
  const heldByAnother = card.ocupado_por_id !== null && card.ocupado_por_id !== list.worker_id;
  return loaded.spools.flatMap((spool) => (spool.tag_spool !== card.tag_spool ? spool : heldByAnother ? card : []));
}

/** The same pages with these spools. The cursor of the last page is a tag, so it stays valid. */
function withSpools(data: PagedList, spools: Spool[]): PagedList {
  const total = (data.pages.at(-1)?.total ?? 0) + spools.length - loadedSpools(data).spools.length;
  let begin = 0;
  const pages = data.pages.map((page, i) => {
    const end = i === data.pages.length - 1 ? spools.length : begin + page.spools.length;
    const changed = { ...page, total, spools: spools.slice(begin, end) };
    begin = end;
    return changed;
  });
  return { ...data, pages };
}

/** Once for as long as one worker uses the tablet. */
export function useCacheUpdater(worker_id: number): CacheUpdater {
  const cache = useQueryClient();
  const updater = useMemo(() => new CacheUpdater(cache, worker_id), [cache, worker_id]);
  useLive(
    (update) => updater.applyEvent(update),
    () => updater.readAllAgain(),
  );
  useEffect(() => () => updater.stop(), [updater]);
  return updater;
}
