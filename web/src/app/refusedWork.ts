// Work that was refused as a single tap, because somebody else held the spool or it was freed meanwhile, becomes a reclamo. A refused
// chain brings its reclamo along.
import { reclamar } from "@/api/reclamos";
import { hasWork, isChain, stepsOf } from "@/taps/chain";
import { taps } from "@/taps/hooks";
import { authorIdOf, type Tap, type TapOutcome } from "@/taps/tap";

/** Other refusals (a joint that is done already) the worker sees at once, and corrects. */
const HOLDER_CHANGED = ["SPOOL_OCCUPIED", "NO_AUTORIZADO", "OPERACION_NO_INICIADA"];

export function claimRefusedWork(tap: Tap, outcome: TapOutcome<unknown>): void {
  if (outcome.kind !== "refused" || isChain(tap) || !HOLDER_CHANGED.includes(outcome.problem.code)) return;
  const worker_id = authorIdOf(tap);
  const [tag_spool] = tap.about.tags;
  const pasos = [...stepsOf(tap)];
  if (worker_id === null || tag_spool === undefined || !hasWork(pasos)) return;
  const body = { tag_spool, worker_id, pasos, clave: tap.key };
  const author = tap.author && { ...tap.author, seal: null };
  taps.disown(taps.tap(reclamar, body, { ...tap.about, accion: "RECLAMAR" }, author));
}
