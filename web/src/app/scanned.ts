// What a scanned code means on this tablet, and which screen it opens.
import type { QueryClient } from "@tanstack/react-query";

import { askCode } from "@/api/codigos";
import type { Operacion, SpoolCard, Worker } from "@/api/types";
import type { ReadCode } from "@/features/scan/codes";
import { offlineCopy } from "@/offline/copy";
import { accessOf } from "@/shop/access";
import { operationsOf } from "@/shop/operations";
import { cardQuery, keys } from "@/shop/reads";

/** A card that comes later than this is not waited for: the one that this tablet has seen tells the operation. */
const CARD_MS_MAX = 1_000;

/** `near`: tags that are nearly the same; null: the server could not be asked, and this tablet has not seen such a spool. */
export type Meaning = { tag: string } | { near: readonly string[] | null };

/** A spool that this tablet has seen needs no question, so it also opens without a connection. */
export async function meaningOf(code: ReadCode, worker: Worker | null, cache: QueryClient): Promise<Meaning> {
  const seen = worker && code.tags.find((tag) => seenCard(tag, worker, cache) !== undefined);
  if (seen != null) return { tag: seen };
  try {
    const { tag_spool, parecidos } = await askCode(code.tags);
    return tag_spool === null ? { near: parecidos } : { tag: tag_spool };
  } catch {
    const [tag] = code.tags;
    return code.isAddress && tag !== undefined ? { tag } : { near: null };
  }
}

function seenCard(tag: string, worker: Worker, cache: QueryClient): SpoolCard | undefined {
  const copy = offlineCopy.current();
  return cache.getQueryData<SpoolCard>(keys.card(tag, worker.id)) ?? (copy?.worker_id === worker.id ? copy.cards.get(tag) : undefined);
}

/** For which operation the spool opens. `atHand` is that of the list on the screen. */
export async function operationOf(tag: string, worker: Worker, atHand: Operacion | null, cache: QueryClient): Promise<Operacion> {
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, CARD_MS_MAX));
  const read = cache.query({ ...cardQuery(tag, worker.id), retry: false }).catch(() => undefined);
  const card = (await Promise.race([read, late])) ?? seenCard(tag, worker, cache);
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
