// Whether a person is asked about their spools now, and about which. Pure functions.
import type { AskedSpool, Turno } from "@/api/turno";
import { authorIdOf, type Tap } from "@/taps/tap";

/** `ending`: shortly before the end of the shift. `forgotten`: after it. `exit`: the person signs out. */
export type Moment = "ending" | "forgotten" | "exit";

/** For which end of a shift this person closed the question on this tablet, without an answer for each spool. */
export interface Dismissals {
  readonly ending: string | null;
  readonly forgotten: string | null;
  readonly exit: string | null;
  /** Whether the person has been signed in here since they closed it: the end of the shift is then no news. */
  readonly here: boolean;
}

export const NOTHING_DISMISSED: Dismissals = { ending: null, forgotten: null, exit: null, here: false };

/** The server may not be asked more often, nor less. */
const READ_MS_MIN = 2_000;
const READ_MS_MAX = 5 * 60_000;

/** A tap that waits for its answer counts as an answer on this tablet. */
export const unanswered = ({ spools }: Turno, taps: readonly Tap[], worker_id: number): AskedSpool[] =>
  spools.filter(({ respondido, tag_spool }) => !respondido && !hasTap(tag_spool, taps, worker_id));

export const hasTap = (tag: string, taps: readonly Tap[], worker_id: number): boolean =>
  taps.some((tap) => tap.about.tags.includes(tag) && isAnswer(tap, worker_id));

/** Whether this person says with it what becomes of the spool. A note and a reclamo do not. */
export const isAnswer = (tap: Tap, worker_id: number): boolean =>
  !["NOTA", "NDT", "RECLAMAR"].includes(tap.about.accion) && authorIdOf(tap) === worker_id;

/** Whether a tap of this person is on its way: it is answered, or becomes unsent, within seconds. */
export const isSending = (taps: readonly Tap[], worker_id: number): boolean =>
  taps.some((tap) => tap.state === "sending" && authorIdOf(tap) === worker_id);

/** Null: nothing is asked. */
export function momentOf({ pregunta, motivo }: Turno, leaving: boolean, dismissed: Dismissals): Moment | null {
  if (!pregunta || !motivo) return null;
  const end = pregunta.termina;
  if (leaving) return dismissed.exit === end ? null : "exit";
  if (motivo === "fin_de_turno") return dismissed.ending === end ? null : "ending";
  const isNoNews = dismissed.here && dismissed.ending === end;
  return isNoNews || dismissed.forgotten === end ? null : "forgotten";
}

/** How long until the question is read again: when the next one is due, by the server's clock, and now and then before. */
export function nextReadMs(turno: Turno | undefined): number {
  if (!turno?.proxima) return READ_MS_MAX;
  const due = Date.parse(turno.proxima) - Date.parse(turno.ahora) + 1_000;
  return Math.min(READ_MS_MAX, Math.max(READ_MS_MIN, due));
}

/** What the server will say once it has read these answers: nothing flickers until then. */
export function withAnswers(turno: Turno, tags: readonly string[]): Turno {
  const spools = turno.spools.map((spool) => (tags.includes(spool.tag_spool) ? { ...spool, respondido: true } : spool));
  const preguntar = spools.some(({ respondido }) => !respondido);
  return { ...turno, spools, preguntar, motivo: preguntar ? turno.motivo : null };
}

/** Worked as a whole: PAUSAR and COMPLETAR. Otherwise FINALIZAR, with the joints that were done. */
export const isWhole = ({ version_workflow, operacion }: AskedSpool): boolean =>
  version_workflow === "v3.0" || operacion === "REPARACION";
