// A batch without a connection: one step for each spool, because a step becomes part of what was tapped on that spool before and is
// sent after it. As one request the batch would overtake it.
import type { ChainStep } from "@/api/cadena";
import type { Worker } from "@/api/types";
import type { NewStep, StepResult } from "@/taps/queue";

export function batchSteps(step: ChainStep, tags: readonly string[], worker: Worker): NewStep[] {
  const { accion, operacion } = step;
  return tags.map((tag) => ({ tag, worker_id: worker.id, step, about: { accion, operacion, tags: [tag], worker: worker.label } }));
}

/** Of the results, the one that a person has to be told about. */
export const worstOf = (results: readonly StepResult[]): StepResult =>
  (["absent", "full", "memory"] as const).find((bad) => results.includes(bad)) ?? "saved";
