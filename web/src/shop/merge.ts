// Shows two lists that the server pages by tag as one. Pure functions.
import type { Spool } from "@/api/types";

/** The part of a paged list that is loaded. */
export interface LoadedSpools {
  spools: readonly Spool[];
  /** The server has more after the last one. */
  more: boolean;
}

/** The server orders tags by code point. */
export function byTag(a: { tag_spool: string }, b: { tag_spool: string }): number {
  return a.tag_spool < b.tag_spool ? -1 : a.tag_spool > b.tag_spool ? 1 : 0;
}

/** Ends where the first list ends that has more: after that tag its next page could add spools in between. */
export function mergeLists(lists: readonly LoadedSpools[]): Spool[] {
  const ends = lists.filter((list) => list.more).map((list) => list.spools.at(-1)?.tag_spool ?? "");
  const end = ends.length ? ends.reduce((a, b) => (a < b ? a : b)) : null;
  const known = lists.flatMap((list) => list.spools).filter((spool) => end === null || spool.tag_spool <= end);
  return withoutDuplicates(known.sort(byTag));
}

/** A spool whose workflow changed between two answers is in both lists; the later one counts. */
function withoutDuplicates(sorted: Spool[]): Spool[] {
  return sorted.filter((spool, i) => spool.tag_spool !== sorted[i + 1]?.tag_spool);
}

const MARKS = /\p{M}/gu;
/** Lower case without accents. */
export const foldText = (text: string): string => text.normalize("NFD").replace(MARKS, "").toLowerCase().trim();

/** Searches as the server does: part of the tag, the OT or the NV, without accents or capitals. */
export function matches(spool: Spool, typed: string): boolean {
  const wanted = foldText(typed);
  return [spool.tag_spool, spool.ot, spool.nv].some((text) => text !== null && foldText(text).includes(wanted));
}

/** Inserts or replaces the spool in tag order; a spool after the end of the loaded part is left to paging. */
export function insertSpool({ spools, more }: LoadedSpools, spool: Spool): Spool[] {
  const others = spools.filter((other) => other.tag_spool !== spool.tag_spool);
  const last = spools.at(-1);
  const belongs = others.length < spools.length || !more || (last && spool.tag_spool < last.tag_spool);
  return belongs ? [...others, spool].sort(byTag) : others;
}
