// Two lists that the server pages by tag, shown as one. Pure: what is known goes in, what can be shown comes out.
import type { Spool } from "@/api/types";

export interface Pages {
  spools: readonly Spool[];
  /** More follows behind the last one. */
  more: boolean;
}

/** The server orders tags by code point. */
export function byTag(a: { tag_spool: string }, b: { tag_spool: string }): number {
  return a.tag_spool < b.tag_spool ? -1 : a.tag_spool > b.tag_spool ? 1 : 0;
}

/** Up to where every list is known: behind that, one could still bring something in between. */
export function merged(lists: readonly Pages[]): Spool[] {
  const ends = lists.filter((list) => list.more).map((list) => list.spools.at(-1)?.tag_spool ?? "");
  const end = ends.length ? ends.reduce((a, b) => (a < b ? a : b)) : null;
  const known = lists.flatMap((list) => list.spools).filter((spool) => end === null || spool.tag_spool <= end);
  return unique(known.sort(byTag));
}

/** A spool that changed its workflow between two answers is in both lists; the later one counts. */
function unique(sorted: Spool[]): Spool[] {
  return sorted.filter((spool, i) => spool.tag_spool !== sorted[i + 1]?.tag_spool);
}

const MARKS = /\p{M}/gu;
export const folded = (text: string): string => text.normalize("NFD").replace(MARKS, "").toLowerCase().trim();

/** As the server searches: part of the tag, the OT or the NV, without accents or capitals. */
export function matches(spool: Spool, typed: string): boolean {
  const wanted = folded(typed);
  return [spool.tag_spool, spool.ot, spool.nv].some((text) => text !== null && folded(text).includes(wanted));
}

/** Into its place in a sorted list, replacing what was there; behind the end of what is loaded it is left to paging. */
export function placed(pages: Pages, spool: Spool): Spool[] {
  const others = pages.spools.filter((one) => one.tag_spool !== spool.tag_spool);
  const last = pages.spools.at(-1);
  const known = others.length < pages.spools.length || !pages.more || (last && spool.tag_spool < last.tag_spool);
  return known ? [...others, spool].sort(byTag) : others;
}
