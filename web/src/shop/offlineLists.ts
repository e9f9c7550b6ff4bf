// Which spools the lists show without a connection, and which taps they take as done. Pure functions.
import type { ChainStep } from "@/api/cadena";
import type { Operacion, Spool, SpoolCard, Worker } from "@/api/types";
import { isAhead, stepsOf } from "@/taps/chain";
import { authorIdOf, type Tap } from "@/taps/tap";
import { byTag, matches } from "./merge";

type StepsByTag = ReadonlyMap<string, readonly ChainStep[]>;

/** What this person tapped on each spool and the server has not decided yet. */
export function stepsByTag(taps: readonly Tap[], worker_id: number, away: boolean): StepsByTag {
  const found = new Map<string, ChainStep[]>();
  for (const tap of taps.filter((one) => authorIdOf(one) === worker_id && isAhead(one, away))) {
    for (const tag of tap.about.tags) found.set(tag, [...(found.get(tag) ?? []), ...stepsOf(tap)]);
  }
  return found;
}

/** The lists of one operation from the copy. */
export function listsOf(
  cards: readonly SpoolCard[],
  worker: Worker,
  operacion: Operacion,
  typed: string,
): { mine: Spool[]; spools: Spool[] } {
  const found = typed.trim() === "" ? cards : cards.filter((card) => matches(card, typed));
  const canTake = ({ acciones }: SpoolCard): boolean =>
    acciones.some((offer) => offer.operacion === operacion && (offer.accion === "TOMAR" || offer.accion === "INICIAR"));
  const mine = found.filter((card) => card.ocupado_por_id === worker.id);
  const spools = found.filter((card) => card.ocupado_por_id !== worker.id && canTake(card));
  return { mine: mine.sort(byTag), spools: spools.sort(byTag) };
}
