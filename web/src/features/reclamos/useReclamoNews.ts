// Tells a worker who signs in what was decided about their reclamos. A sentence stays until the worker says that they saw it, and
// comes again at the next sign-in until then.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";

import { listNews, markSeen, type Reclamo } from "@/api/reclamos";
import type { Worker } from "@/api/types";
import { words } from "@/i18n";
import { inches } from "@/shop/progress";
import { taps } from "@/taps/hooks";
import { newKey } from "@/taps/key";
import { notify } from "@/ui/notices";

export const MY_RECLAMOS = "my-reclamos";
const ASK_EVERY_MS = 5 * 60_000;

export function useReclamoNews(worker: Worker): void {
  const cache = useQueryClient();
  const { data } = useQuery({
    queryKey: [MY_RECLAMOS, worker.id, "news"],
    queryFn: ({ signal }) => listNews(worker.id, signal),
    refetchInterval: ASK_EVERY_MS,
    staleTime: 0,
  });
  useEffect(() => {
    for (const reclamo of data ?? []) tell(reclamo, worker.id);
    // What was decided does not wait any more.
    if (data && data.length > 0) void cache.invalidateQueries({ queryKey: [MY_RECLAMOS, worker.id, "pendiente"] });
  }, [data, worker.id, cache]);
  // A refused chain brings a reclamo along.
  useEffect(() => taps.onOutcome(() => void cache.invalidateQueries({ queryKey: [MY_RECLAMOS] })), [cache]);
}

function tell(reclamo: Reclamo, worker_id: number): void {
  const text = newsOf(reclamo);
  if (text === null) return;
  // If the server does not hear it, the worker is told once more: better twice than never.
  const seen = (): void => void markSeen(worker_id, [reclamo.id], newKey()).catch(() => undefined);
  notify(reclamo.resolucion?.aceptados === 0 ? "bad" : "good", text, true, { label: words("reclamos.close"), run: seen });
}

export function newsOf({ resolucion, tag_spool: tag, trabajo }: Reclamo): string | null {
  if (!resolucion) return null;
  const { por: supervisor, motivo: reason, aceptados: accepted, pulgadas } = resolucion;
  if (accepted === 0) return words("reclamos.news_declined", { tag, supervisor, reason });
  return words("reclamos.news_accepted", { tag, supervisor, reason, accepted, total: trabajo.length, inches: inches(pulgadas) });
}
