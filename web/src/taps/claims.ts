// Work that was refused as a single tap, because somebody else held the spool or it was freed meanwhile, becomes a reclamo; when its
// author has gone, whatever the rule was. A refused chain brings its reclamo along. Pure functions.
import { reclamar } from "@/api/reclamos";
import type { BatchAnswer, PostBody } from "@/api/types";
import { hasWork, isChain, stepsOf } from "./chain";
import { authorIdOf, type Tap, type TapOutcome } from "./tap";

/** Other refusals (a joint that is done already) the worker sees at once, and corrects. */
const HOLDER_CHANGED = ["SPOOL_OCCUPIED", "NO_AUTORIZADO", "OPERACION_NO_INICIADA"];
/** Nobody sees and corrects these when the tap is answered after its author has gone. */
const OTHER_RULES = [
  "VERSION_CONFLICT",
  "WRONG_VERSION",
  "SPOOL_BLOQUEADO",
  "UNION_NO_DISPONIBLE",
  "OPERACION_YA_COMPLETADA",
  "OPERACION_NO_DISPONIBLE",
  "DEPENDENCIAS_NO_SATISFECHAS",
  "ROL_NO_AUTORIZADO",
  "WORKER_INACTIVO",
  "SPOOL_NO_ENCONTRADO",
];

type ClaimBody = PostBody<"/api/reclamos">;
export type Claim = Pick<Tap, "path" | "about" | "author"> & { readonly body: ClaimBody };

/** What has to be claimed after this answer, while the author is at the tablet (`isHere`) or not: of a tap for several spools, each one whose work was refused. */
export function claimsOf(tap: Tap, outcome: TapOutcome<unknown>, isHere: boolean): Claim[] {
  const worker_id = authorIdOf(tap);
  const pasos = [...stepsOf(tap)];
  if (worker_id === null || isChain(tap) || !hasWork(pasos)) return [];
  const { tag_spools } = (tap.body ?? {}) as { tag_spools?: string[] };
  const claimed = isHere ? HOLDER_CHANGED : [...HOLDER_CHANGED, ...OTHER_RULES];
  return refusedSpools(tap, outcome, claimed).map((tag_spool) => ({
    path: reclamar.path,
    body: { tag_spool, worker_id, pasos, clave: tap.key, ...(tag_spools && { tag_spools }) },
    about: { ...tap.about, accion: "RECLAMAR", tags: [tag_spool] },
    ...(tap.author && { author: { ...tap.author, seal: null } }),
  }));
}

function refusedSpools(tap: Tap, outcome: TapOutcome<unknown>, codes: readonly string[]): readonly string[] {
  if (outcome.kind === "refused") return codes.includes(outcome.problem.code) ? tap.about.tags : [];
  const { details } = ((outcome.kind === "done" && outcome.answer) || {}) as Partial<BatchAnswer>;
  return (details ?? []).filter(({ error }) => error && codes.includes(error.code)).map(({ tag_spool }) => tag_spool);
}
