// What the screens of the floor show without a connection: the copy of the last look, as it would be after what was tapped since.
import { useEffect, useMemo, useState } from "react";

import type { Operacion, Spool, SpoolCard, Worker } from "@/api/types";
import { useIsAway } from "@/live/hooks";
import { useOfflineCopy } from "@/offline/hooks";
import { useTaps } from "@/taps/hooks";
import { listsOf, stepsByTag } from "./offlineLists";
import { cardAfter, openJoints } from "./provisional";
import { useCard, type FreeSpools } from "./reads";

/** A list that is not there after this long is shown from the copy: the connection may be dead without saying so. */
const SLOW_LIST_MS = 1_500;
/** Until the server has said which types of joint are never welded. */
const ARM_ONLY = ["FW"];

export interface OfflineLists {
  mine: Spool[];
  free: FreeSpools;
  /** When the server was last asked; epoch ms of the tablet. */
  seenAt: number;
  leftOut: number;
  /** The connection is back, and the server's own lists will be there in a moment: nobody has to be told about the copy. */
  isOver: boolean;
}

/** Null while the server's own lists are there, while there is no copy, and for inspections, which need the server. A screen that shows
 * the copy goes on showing it until the server's lists are there: rows do not vanish when the connection comes back. */
export function useOfflineLists(worker: Worker, operacion: Operacion, typed: string, online: FreeSpools): OfflineLists | null {
  const copy = useOfflineCopy(worker.id);
  const taps = useTaps();
  const away = useIsAway();
  const slow = useSlow(online.pending);
  const [usesCopy, setUsesCopy] = useState(false);
  const needed = away || slow || online.failed;
  const uses = needed || (usesCopy && online.pending);
  if (uses !== usesCopy) setUsesCopy(uses);
  const shown = copy !== null && operacion !== "METROLOGIA" && uses;
  return useMemo(() => {
    if (!shown) return null;
    const steps = stepsByTag(taps, worker.id, away);
    const after = (card: SpoolCard): SpoolCard =>
      cardAfter(card, { steps: steps.get(card.tag_spool) ?? [], worker, armOnly: copy.armOnly });
    const { mine, spools } = listsOf([...copy.cards.values()].map(after), worker, operacion, typed);
    const free = { spools, total: spools.length, pending: false, failed: false, more: false, loadMore: nothing, retry: nothing };
    return { mine, free, seenAt: copy.seenAt, leftOut: copy.leftOut, isOver: !needed };
  }, [shown, needed, copy, taps, away, worker, operacion, typed]);
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
  /** The joints that could be ticked, by what the tablet knows. */
  openJoints: (operacion: "ARM" | "SOLD") => ReadonlySet<number>;
  /** False: the server cannot say yet which joints could be ticked. */
  asksServer: boolean;
}

/** The card of a spool, from the server or from the copy. A screen that shows it goes on showing it while the connection comes back. */
export function useWorkCard(tag: string, worker: Worker): WorkCard {
  const query = useCard(tag, worker.id);
  const copy = useOfflineCopy(worker.id);
  const taps = useTaps();
  const away = useIsAway();
  const copied = copy?.cards.get(tag);
  const [usesCopy, setUsesCopy] = useState(false);
  if (away && !usesCopy) setUsesCopy(true);
  const base = away ? (copied ?? query.data) : (query.data ?? (usesCopy || query.isError ? copied : undefined));
  const steps = stepsByTag(taps, worker.id, away).get(tag) ?? [];
  const armOnly = copy?.armOnly ?? ARM_ONLY;
  const card = base && cardAfter(base, { steps, worker, armOnly });
  return {
    card,
    error: card ? null : query.error,
    retry: () => void query.refetch(),
    openJoints: (operacion) => new Set(openJoints(card?.uniones ?? [], operacion, armOnly)),
    asksServer: !away && steps.length === 0,
  };
}
