// What a scanned code means on this tablet, and which screen it opens.
import type { QueryClient } from "@tanstack/react-query";

import { askCode } from "@/api/codigos";
import type { Operacion, SpoolCard, Worker } from "@/api/types";
import type { ReadCode } from "@/features/scan/codes";
import { accessOf } from "@/shop/access";
import { operationsOf } from "@/shop/operations";
import { cardQuery } from "@/shop/reads";

/** `near`: tags that are nearly the same; null: the server could not be asked, and this tablet has not seen such a spool. */
export type Meaning = { tag: string } | { near: readonly string[] | null };

export async function meaningOf(code: ReadCode, cache: QueryClient): Promise<Meaning> {
  try {
    const { tag_spool, parecidos } = await askCode(code.tags);
    return tag_spool === null ? { near: parecidos } : { tag: tag_spool };
  } catch {
    const seen = code.tags.find((tag) => cache.getQueriesData({ queryKey: ["card", tag] }).some(([, card]) => card !== undefined));
    const tag = seen ?? (code.isAddress ? code.tags[0] : undefined);
    return tag === undefined ? { near: null } : { tag };
  }
}

/** For which operation the spool opens. `atHand` is that of the list on the screen; it also counts where the card cannot be read. */
export async function operationOf(tag: string, worker: Worker, atHand: Operacion | null, cache: QueryClient): Promise<Operacion> {
  const card = await cache.query({ ...cardQuery(tag, worker.id), retry: false }).catch(() => undefined);
  return operationToOpen(card, worker, atHand);
}

/** What the worker holds it for; else the operation at hand; else the first that can be done now. */
export function operationToOpen(card: SpoolCard | undefined, worker: Worker, atHand: Operacion | null): Operacion {
  if (card?.ocupado_por_id === worker.id && card.operacion_actual !== null) return card.operacion_actual;
  if (atHand !== null) return atHand;
  const allowed = operationsOf(worker.roles);
  const possible = card && allowed.find((operacion) => accessOf(card, worker.id, operacion).may !== null);
  return possible ?? allowed[0] ?? "REPARACION";
}
