// Which workflow's buttons a spool's screen shows. They do not change under a finger: the worker first sees a notice.
import { useState } from "react";

import type { SpoolCard, Workflow } from "@/api/types";

export interface ShownWorkflow {
  shown: Workflow;
  /** The card has another workflow by now; the buttons do nothing until the worker goes on. */
  changedTo: Workflow | null;
  follow: () => void;
}

/** The key of a workflow's sentences in the catalogues. */
export const workflowKey = (workflow: Workflow): "v3" | "v4" => (workflow === "v4.0" ? "v4" : "v3");

/** `announced`: the workflow that a refusal of the server has named to the worker already. */
export function useShownWorkflow(card: SpoolCard | undefined, announced: Workflow | null): ShownWorkflow | undefined {
  const now = card?.version_workflow;
  const [shown, setShown] = useState(now);
  const next = nextShown(shown, now, announced);
  if (next !== shown) setShown(next);
  if (now === undefined || next === undefined) return undefined;
  return { shown: next, changedTo: now === next ? null : now, follow: () => setShown(now) };
}

export function nextShown(
  shown: Workflow | undefined,
  now: Workflow | undefined,
  announced: Workflow | null,
): Workflow | undefined {
  return shown === undefined || now === announced ? now : shown;
}
