// Chains: what one person taps on one spool while there is no connection. The steps are sent as one request under one key, and the
// server does all of them or none. Pure functions.
import { cadena, type ChainStep } from "@/api/cadena";
import { authorIdOf, isWorkOn, type Tap, type TapAuthor } from "./tap";

/** The server accepts no longer chains; what is tapped after that is a chain of its own. */
export const STEPS_MAX = 20;
const STEP_ACTIONS = ["INICIAR", "TOMAR", "PAUSAR", "COMPLETAR", "FINALIZAR", "CANCELAR"] as const;

export interface ChainBody {
  tag_spool: string;
  worker_id: number;
  pasos: ChainStep[];
}

export const isChain = (tap: Pick<Tap, "path">): boolean => tap.path === cadena.path;

/** What a tap does on each of its spools, step by step; a single action, also for several spools, is one step. Nothing for taps of
 * other kinds. */
export function stepsOf(tap: Tap): readonly ChainStep[] {
  if (isChain(tap)) return (tap.body as ChainBody).pasos;
  const { accion, operacion } = tap.about;
  const known = STEP_ACTIONS.find((one) => one === accion);
  if (!known || operacion === "METROLOGIA") return [];
  const { selected_unions } = (tap.body ?? {}) as { selected_unions?: number[] };
  const step: ChainStep = { accion: known, operacion, hecho_en: new Date(tap.at).toISOString() };
  return [known === "FINALIZAR" ? { ...step, uniones: selected_unions ?? [] } : step];
}

/** How many taps of a person it stands for. */
export const tapCount = (tap: Tap): number => (isChain(tap) ? stepsOf(tap).length : 1);

/** Whether another step may become part of it: never after it was sent once, because it may have arrived. */
export const isOpenFor = (tap: Tap, author: TapAuthor | null | undefined): boolean =>
  isChain(tap) &&
  tap.sent === false &&
  !tap.doubtful &&
  stepsOf(tap).length < STEPS_MAX &&
  isOfSession(tap, author);

/** Whether it was tapped in this session, after the same PIN. */
export const isOfSession = (tap: Tap, author: TapAuthor | null | undefined): boolean =>
  tap.author?.session === author?.session && tap.author?.seal === author?.seal;

/** Whether the screens show a spool as if this tap were done: it waits for the connection, or for the PIN to be checked. A single
 * action that was sent is answered soon, unless the server is `away`. */
export const isAhead = (tap: Tap, away: boolean): boolean =>
  tap.state === "unsent" &&
  (isChain(tap) || away) &&
  (tap.waits === undefined || tap.waits === "proof") &&
  stepsOf(tap).length > 0;

/** Gloved fingers tap twice. */
export function isSameStep(a: ChainStep | undefined, b: ChainStep): boolean {
  const what = ({ accion, operacion, uniones }: ChainStep): string => JSON.stringify([accion, operacion, uniones ?? null]);
  return a !== undefined && what(a) === what(b);
}

/** Whether something was done that must not be thrown away when it is refused. */
export const hasWork = (steps: readonly ChainStep[]): boolean =>
  steps.some(({ accion, uniones }) => accion === "COMPLETAR" || (accion === "FINALIZAR" && (uniones ?? []).length > 0));

/** The label of another person who took this spool on this tablet and whose taps have not arrived; null: there is none. A tap after a wrong
 * PIN says nothing: nobody knows who made it. */
export function takenHereBy(taps: readonly Tap[], tag: string, worker_id: number): string | null {
  const isOfAnother = (tap: Tap): boolean => tap.author !== undefined && !tap.doubtful && authorIdOf(tap) !== worker_id;
  const ofOthers = taps.filter((tap) => tap.state === "unsent" && isOfAnother(tap) && isWorkOn(tap, tag));
  const last = ofOthers.findLast((tap) => stepsOf(tap).length > 0);
  if (!last) return null;
  const accion = stepsOf(last).at(-1)?.accion;
  return accion === "TOMAR" || accion === "INICIAR" ? last.about.worker : null;
}
