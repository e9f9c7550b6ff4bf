// What the screens of the floor show without a connection: the copy of the last look, as it would be after what was tapped since.
import { useMemo, useState, useEffect } from "react";

import type { ChainStep } from "@/api/cadena";
import type { Operacion, Spool, SpoolCard, Worker } from "@/api/types";
import { useServerState } from "@/live/hooks";
import { useOfflineCopy } from "@/offline/hooks";
import { isAhead, stepsOf } from "@/taps/chain";
import { useTaps } from "@/taps/hooks";
import { authorIdOf, type Tap } from "@/taps/tap";
import { byTag, matches } from "./merge";
import { cardAfter, openJoints } from "./provisional";
import { useCard, type FreeSpools } from "./reads";

/** A list that is not there after this long is shown from the copy: the connection may be dead without saying so. */
const SLOW_LIST_MS = 1_500;
/** Until the server has said which types of joint are never welded. */
const ARM_ONLY = ["FW"];

type StepsByTag = ReadonlyMap<string, readonly ChainStep[]>;

/** What this person tapped on each spool and the server has not decided yet. */
export function stepsByTag(taps: readonly Tap[], worker_id: number): StepsByTag {
  const found = new Map<string, ChainStep[]>();
  for (const tap of taps.filter((one) => authorIdOf(one) === worker_id && isAhead(one))) {
    const [tag = ""] = tap.about.tags;
    found.set(tag, [...(found.get(tag) ?? []), ...stepsOf(tap)]);
  }
  return found;
}

export interface OfflineLists {
  mine: Spool[];
  free: FreeSpools;
  /** When the server was last asked; epoch ms of the tablet. */
  seenAt: number;
  leftOut: number;
}

/** The lists of one operation from the copy. */
export function listsOf(cards: readonly SpoolCard[], worker: Worker, operacion: Operacion, typed: string): Pick<OfflineLists, "mine"> & { spools: Spool[] } {
  const found = typed.trim() === "" ? cards : cards.filter((card) => matches(card, typed));
  const canTake = ({ acciones }: SpoolCard): boolean =>
    acciones.some((offer) => offer.operacion === operacion && (offer.accion === "TOMAR" || offer.accion === "INICIAR"));
  const mine = found.filter((card) => card.ocupado_por_id === worker.id);
  const spools = found.filter((card) => card.ocupado_por_id !== worker.id && canTake(card));
  return { mine: mine.sort(byTag), spools: spools.sort(byTag) };
}

/** Null while the server's own lists are there, or while there is no copy. */
export function useOfflineLists(worker: Worker, operacion: Operacion, typed: string, online: FreeSpools): OfflineLists | null {
  const copy = useOfflineCopy(worker.id);
  const taps = useTaps();
  const offline = useServerState() === "offline";
  const slow = useSlow(online.pending);
  const shown = copy !== null && (offline || slow || online.failed);
  return useMemo(() => {
    if (!shown) return null;
    const steps = stepsByTag(taps, worker.id);
    const after = (card: SpoolCard): SpoolCard =>
      cardAfter(card, { steps: steps.get(card.tag_spool) ?? [], worker, armOnly: copy.armOnly });
    const { mine, spools } = listsOf([...copy.cards.values()].map(after), worker, operacion, typed);
    const free = { spools, total: spools.length, pending: false, failed: false, more: false, loadMore: nothing, retry: nothing };
    return { mine, free, seenAt: copy.seenAt, leftOut: copy.leftOut };
  }, [shown, copy, taps, worker, operacion, typed]);
}

const nothing = (): void => undefined;

function useSlow(pending: boolean): boolean {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    if (!pending) return;
    const timer = setTimeout(() => setSlow(true), SLOW_LIST_MS);
    return () => {
      clearTimeout(timer);
      setSlow(false);
    };
  }, [pending]);
  return slow;
}

export interface WorkCard {
  /** As it would be after what this person tapped. */
  card: SpoolCard | undefined;
  error: Error | null;
  retry: () => void;
  /** Not decided by the server yet. */
  isProvisional: boolean;
  /** The joints that could be ticked, where the server cannot say it; undefined: ask the server. */
  known: ((operacion: "ARM" | "SOLD") => ReadonlySet<number>) | undefined;
}

/** The card of a spool, from the server or from the copy. */
export function useWorkCard(tag: string, worker: Worker): WorkCard {
  const query = useCard(tag, worker.id);
  const copy = useOfflineCopy(worker.id);
  const taps = useTaps();
  const offline = useServerState() === "offline";
  const copied = copy?.cards.get(tag);
  const base = offline ? (copied ?? query.data) : (query.data ?? (query.isError ? copied : undefined));
  const steps = stepsByTag(taps, worker.id).get(tag) ?? [];
  const armOnly = copy?.armOnly ?? ARM_ONLY;
  const card = base && (steps.length > 0 ? cardAfter(base, { steps, worker, armOnly }) : base);
  const knows = card !== undefined && (offline || steps.length > 0 || base !== query.data);
  return {
    card,
    error: card ? null : query.error,
    retry: () => void query.refetch(),
    isProvisional: steps.length > 0,
    known: knows ? (operacion) => new Set(openJoints(card.uniones, operacion, armOnly)) : undefined,
  };
}
