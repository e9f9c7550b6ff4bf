// The notice that an awaited spool is free: at once on any screen, or when the worker uses the tablet again.
import { useEffect } from "react";

import type { Operacion, Worker } from "@/api/types";
import { words } from "@/i18n";
import { awaitedBy, stopAwaiting, useAwaitedCards, type AwaitedCard } from "@/shop/awaited";
import { notify } from "@/ui/notices";

type Open = (operacion: Operacion, tag: string) => void;

/** Once for as long as one worker uses the tablet. */
export function useFreeNotices(worker: Worker, onOpen: Open): void {
  const awaited = useAwaitedCards(worker.id);
  useEffect(() => {
    for (const spool of awaited) endWaitIfOver(worker, spool, onOpen);
  });
}

/**
 * The wait is over when the spool is free, when this worker holds it, or when the server no longer knows it. Only the first leads to
 * a notice.
 */
function endWaitIfOver(worker: Worker, { tag, operacion, card, unknown }: AwaitedCard, onOpen: Open): void {
  const free = card !== undefined && card.ocupado_por === null;
  const over = free || unknown || card?.ocupado_por_id === worker.id;
  if (!over || !awaitedBy(worker.id).some((awaited) => awaited.tag === tag)) return;
  stopAwaiting(worker.id, tag);
  if (!free) return;
  const text = words("awaited.free", { label: worker.label, tag, state: card.estado_detalle });
  notify("good", text, true, { label: words("awaited.open"), run: () => onOpen(operacion, tag) });
}
