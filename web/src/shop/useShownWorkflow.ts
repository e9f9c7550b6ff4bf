// Which workflow's buttons stand on a spool's screen. They do not change under a finger: first the worker is told.
import { useState } from "react";

import type { SpoolCard, Workflow } from "@/api/types";

export interface ShownWorkflow {
  shown: Workflow;
  /** The card says another one by now; the buttons wait until the worker has seen that. */
  changedTo: Workflow | null;
  follow: () => void;
}

/** The name of its sentences in the catalogues. */
export const sentencesOf = (workflow: Workflow): "v3" | "v4" => (workflow === "v4.0" ? "v4" : "v3");

/** `told`: the workflow of which the server's refusal has told the worker already. */
export function useShownWorkflow(card: SpoolCard | undefined, told: Workflow | null): ShownWorkflow | undefined {
  const now = card?.version_workflow;
  const [shown, show] = useState(now);
  const next = nextShown(shown, now, told);
  if (next !== shown) show(next);
  if (now === undefined || next === undefined) return undefined;
  return { shown: next, changedTo: now === next ? null : now, follow: () => show(now) };
}

export function nextShown(
  shown: Workflow | undefined,
  now: Workflow | undefined,
  told: Workflow | null,
): Workflow | undefined {
  return shown === undefined || now === told ? now : shown;
}
