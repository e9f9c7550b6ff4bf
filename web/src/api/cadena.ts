// POST /api/occupation/cadena: what a person tapped on one spool without a connection; all of it is done, or none.
import { callOf } from "./call";
import type { Problem, PostBody } from "./types";

export const cadena = callOf("/api/occupation/cadena");
export type ChainStep = PostBody<"/api/occupation/cadena">["pasos"][number];

/** The reclamo that a refusal led to; null: no work was lost. */
export function reclamoOf(problem: Problem): string | null {
  return typeof problem.reclamo === "string" ? problem.reclamo : null;
}
