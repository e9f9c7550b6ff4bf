// Tells a worker that a spool they asked for is free: at once on whatever screen they are, or when they come back.
import { useEffect } from "react";

import type { Operacion, Worker } from "@/api/types";
import { words } from "@/i18n";
import { awaitedBy, stopAwaiting, useAwaitedCards, type AwaitedCard } from "@/shop/awaited";
import { notify } from "@/ui/notices";

type Open = (operacion: Operacion, tag: string) => void;

/** As long as one worker is here, once. */
export function useFreeNotices(worker: Worker, onOpen: Open): void {
  const awaited = useAwaitedCards(worker.id);
  useEffect(() => {
    for (const one of awaited) settle(worker, one, onOpen);
  });
}

/** Told once; whoever has the spool by now, or asked for one that is gone, waits for nothing. */
function settle(worker: Worker, { tag, operacion, card, unknown }: AwaitedCard, onOpen: Open): void {
  const free = card !== undefined && card.ocupado_por === null;
  const over = free || unknown || card?.ocupado_por_id === worker.id;
  if (!over || !awaitedBy(worker.id).some((one) => one.tag === tag)) return;
  stopAwaiting(worker.id, tag);
  if (!free) return;
  const text = words("awaited.free", { label: worker.label, tag, state: card.estado_detalle });
  notify("good", text, true, { label: words("awaited.open"), run: () => onOpen(operacion, tag) });
}
