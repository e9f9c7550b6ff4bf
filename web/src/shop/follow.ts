// Keeps the cached lists true: what the stream says is shown at once, then the spool's own card decides where it belongs.
import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";

import { getCard } from "@/api/card";
import type { Spool, SpoolCard, SpoolPage, SpoolUpdate } from "@/api/types";
import { useLive } from "@/live/hooks";
import { byTag, matches, placed } from "./merge";
import { idOf } from "./progress";
import { keys, pagesOf, type FreeKey } from "./reads";

const GATHER_MS = 80;
/** More spools than this at once and reading the lists anew is cheaper. */
const CARDS_MAX = 12;

type Lists = InfiniteData<SpoolPage>;

export class Follower {
  private changed = new Set<string>();
  private looks = new Map<string, number>(); // how often each spool was looked at
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly cache: QueryClient,
    private readonly worker_id: number,
  ) {}

  /** An event of the stream. */
  update(update: SpoolUpdate): void {
    const { tag_spool, ocupado_por, estado_detalle, version, version_workflow } = update;
    const news = { ocupado_por, ocupado_por_id: idOf(ocupado_por), estado_detalle, version, version_workflow };
    this.everywhere(tag_spool, (spool) => ({ ...spool, ...news }));
    this.look(tag_spool);
  }

  /** Read this spool's card soon, together with others that change now. */
  look(tag: string): void {
    this.changed.add(tag);
    this.timer ??= setTimeout(() => void this.flush(), GATHER_MS);
  }

  /** Nothing that was read before may be trusted. */
  readAnew(): void {
    void this.cache.invalidateQueries();
  }

  /** Nobody follows from here on: what is kept would only grow old. */
  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    for (const kind of ["held", "free", "card", "available"]) this.cache.removeQueries({ queryKey: [kind] });
  }

  private async flush(): Promise<void> {
    const tags = [...this.changed];
    this.changed.clear();
    this.timer = undefined;
    if (tags.length > CARDS_MAX) this.readAnew();
    else await Promise.all(tags.map((tag) => this.place(tag)));
  }

  private async place(tag: string): Promise<void> {
    const look = (this.looks.get(tag) ?? 0) + 1;
    this.looks.set(tag, look);
    try {
      const card = await getCard(tag, this.worker_id);
      await this.cache.cancelQueries({ queryKey: keys.card(tag, this.worker_id) }); // an older read must not overwrite it
      if (this.looks.get(tag) !== look) return; // answers overtake each other; the last look counts
      this.cache.setQueryData(keys.card(tag, this.worker_id), card);
      this.placeHeld(card);
      this.placeFree(card);
    } catch {
      this.readAnew(); // the lists say what became of it, or that nobody answers
    }
  }

  private placeHeld(card: SpoolCard): void {
    this.cache.setQueryData<Spool[]>(keys.held(this.worker_id), (held) => {
      const others = held?.filter((spool) => spool.tag_spool !== card.tag_spool);
      return card.ocupado_por_id === this.worker_id ? others && [...others, card].sort(byTag) : others;
    });
  }

  private placeFree(card: SpoolCard): void {
    for (const [key, data] of this.cache.getQueriesData<Lists>({ queryKey: ["free"] })) {
      const asked = key[1] as FreeKey;
      if (!data || asked.worker_id !== this.worker_id) continue;
      const spools = freeAfter(data, card, asked);
      this.cache.setQueryData<Lists>(key, rewrapped(data, spools));
    }
  }

  private everywhere(tag: string, change: (spool: Spool) => Spool): void {
    const one = (spool: Spool): Spool => (spool.tag_spool === tag ? change(spool) : spool);
    this.cache.setQueryData<Spool[]>(keys.held(this.worker_id), (held) => held?.map(one));
    this.cache.setQueriesData<Lists>(
      { queryKey: ["free"] },
      (data) => data && { ...data, pages: data.pages.map((page) => ({ ...page, spools: page.spools.map(one) })) },
    );
  }
}

/** Taken by somebody else it stays where it is, greyed: rows must not jump under a finger. */
function freeAfter(data: Lists, card: SpoolCard, asked: FreeKey): Spool[] {
  const pages = pagesOf(data);
  const offered = card.acciones.some((one) => one.accion === asked.accion && one.operacion === asked.operacion);
  if (offered && matches(card, asked.q)) return placed(pages, card);
  const elsewhere = card.ocupado_por_id !== null && card.ocupado_por_id !== asked.worker_id;
  return pages.spools.flatMap((spool) => (spool.tag_spool !== card.tag_spool ? spool : elsewhere ? card : []));
}

/** The pages as they were, with what came or went; the cursor of the last one is a tag and stays good. */
function rewrapped(data: Lists, spools: Spool[]): Lists {
  const total = (data.pages.at(-1)?.total ?? 0) + spools.length - pagesOf(data).spools.length;
  let begin = 0;
  const pages = data.pages.map((page, i) => {
    const end = i === data.pages.length - 1 ? spools.length : begin + page.spools.length;
    const cut = { ...page, total, spools: spools.slice(begin, end) };
    begin = end;
    return cut;
  });
  return { ...data, pages };
}

/** As long as one worker is here, once. */
export function useFollower(worker_id: number): Follower {
  const cache = useQueryClient();
  const follower = useMemo(() => new Follower(cache, worker_id), [cache, worker_id]);
  useLive(
    (update) => follower.update(update),
    () => follower.readAnew(),
  );
  useEffect(() => () => follower.stop(), [follower]);
  return follower;
}
