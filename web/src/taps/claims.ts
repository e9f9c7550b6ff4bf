// Work that was refused as a single tap, because somebody else held the spool or it was freed meanwhile, becomes a reclamo. A refused
// chain brings its reclamo along. Pure functions.
import { reclamar } from "@/api/reclamos";
import type { PostBody } from "@/api/types";
import { hasWork, isChain, stepsOf } from "./chain";
import { authorIdOf, type Tap, type TapOutcome } from "./tap";

/** Other refusals (a joint that is done already) the worker sees at once, and corrects. */
const HOLDER_CHANGED = ["SPOOL_OCCUPIED", "NO_AUTORIZADO", "OPERACION_NO_INICIADA"];

type ClaimBody = PostBody<"/api/reclamos">;
export type Claim = Pick<Tap, "path" | "about" | "author"> & { readonly body: ClaimBody };

/** What has to be claimed after this answer. */
export function claimsOf(tap: Tap, outcome: TapOutcome<unknown>): Claim[] {
  if (outcome.kind !== "refused" || isChain(tap) || !HOLDER_CHANGED.includes(outcome.problem.code)) return [];
  const worker_id = authorIdOf(tap);
  const [tag_spool] = tap.about.tags;
  const pasos = [...stepsOf(tap)];
  if (worker_id === null || tag_spool === undefined || tap.about.tags.length > 1 || !hasWork(pasos)) return [];
  const body: ClaimBody = { tag_spool, worker_id, pasos, clave: tap.key };
  return [{ path: reclamar.path, body, about: { ...tap.about, accion: "RECLAMAR" }, ...(tap.author && { author: { ...tap.author, seal: null } }) }];
}
