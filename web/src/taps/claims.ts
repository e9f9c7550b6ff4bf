// Work that was refused as a single tap, because somebody else held the spool or it was freed meanwhile, becomes a reclamo. A refused
// chain brings its reclamo along. Pure functions.
import { reclamar } from "@/api/reclamos";
import type { BatchAnswer, PostBody, Problem } from "@/api/types";
import { hasWork, isChain, stepsOf } from "./chain";
import { authorIdOf, type Tap, type TapOutcome } from "./tap";

/** Other refusals (a joint that is done already) the worker sees at once, and corrects. */
const HOLDER_CHANGED = ["SPOOL_OCCUPIED", "NO_AUTORIZADO", "OPERACION_NO_INICIADA"];

type ClaimBody = PostBody<"/api/reclamos">;
export type Claim = Pick<Tap, "path" | "about" | "author"> & { readonly body: ClaimBody };

/** What has to be claimed after this answer: of a tap for several spools, each one whose work was refused. */
export function claimsOf(tap: Tap, outcome: TapOutcome<unknown>): Claim[] {
  const worker_id = authorIdOf(tap);
  const pasos = [...stepsOf(tap)];
  if (worker_id === null || isChain(tap) || !hasWork(pasos)) return [];
  const { tag_spools } = (tap.body ?? {}) as { tag_spools?: string[] };
  return refusedSpools(tap, outcome).map((tag_spool) => ({
    path: reclamar.path,
    body: { tag_spool, worker_id, pasos, clave: tap.key, ...(tag_spools && { tag_spools }) },
    about: { ...tap.about, accion: "RECLAMAR", tags: [tag_spool] },
    ...(tap.author && { author: { ...tap.author, seal: null } }),
  }));
}

function refusedSpools(tap: Tap, outcome: TapOutcome<unknown>): readonly string[] {
  if (outcome.kind === "refused") return isClaimed(outcome.problem) ? tap.about.tags : [];
  const { details } = ((outcome.kind === "done" && outcome.answer) || {}) as Partial<BatchAnswer>;
  return (details ?? []).filter(({ error }) => error && isClaimed(error)).map(({ tag_spool }) => tag_spool);
}

const isClaimed = ({ code }: Pick<Problem, "code">): boolean => HOLDER_CHANGED.includes(code);
