// The choice of several spools: up to fifty, all to be taken or all to be ended, only those that are worked as a whole.
import { useState } from "react";

import { batchCompletar } from "@/api/batch-completar";
import { batchPausar } from "@/api/batch-pausar";
import { batchTomar } from "@/api/batch-tomar";
import type { BatchAnswer, Operacion, Spool, Worker } from "@/api/types";
import { words } from "@/i18n";
import { addStep, isProvisional, useAct } from "@/taps/hooks";
import type { StepResult } from "@/taps/queue";
import { notify } from "@/ui/notices";
import { batchSteps, worstOf } from "./batchSteps";

export const BATCH_MAX = 50;
const CALLS = { TOMAR: batchTomar, PAUSAR: batchPausar, COMPLETAR: batchCompletar } as const;
export type BatchAction = keyof typeof CALLS;
const KEPT: Record<StepResult, () => Parameters<typeof notify>> = {
  saved: () => ["plain", words("provisional.saved")],
  memory: () => ["warn", words("provisional.not_saved"), true],
  full: () => ["bad", words("unsent.full")],
  absent: () => ["bad", words("provisional.absent")],
};

export interface Batch {
  on: boolean;
  chosen: ReadonlySet<string>;
  /** The worker holds the chosen spools and can end them. Otherwise the worker can take them. */
  mine: boolean;
  busy: boolean;
  result: BatchAnswer | null;
  start: () => void;
  stop: () => void;
  possible: (spool: Spool, mine: boolean) => boolean;
  toggle: (spool: Spool, mine: boolean) => void;
  perform: (accion: BatchAction) => Promise<void>;
}

export function useBatch(worker: Worker, operacion: Operacion): Batch {
  const [on, setOn] = useState(false);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [mine, setMine] = useState(false);
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<BatchAnswer | null>(null);
  const send = useAct();

  function clear(active: boolean): void {
    setOn(active);
    setChosen(new Set());
    setResult(null);
  }

  function toggle(spool: Spool, own: boolean): void {
    const changed = new Set(chosen);
    if (!changed.delete(spool.tag_spool)) changed.add(spool.tag_spool);
    if (changed.size > BATCH_MAX) {
      notify("warn", words("batch.max", { max: BATCH_MAX }));
      return;
    }
    setMine(own);
    setChosen(changed);
  }

  async function perform(accion: BatchAction): Promise<void> {
    if (operacion === "METROLOGIA") return; // nothing can be chosen there: nobody holds a spool for it
    const tags = [...chosen].sort();
    setBusy(true);
    if (tags.some((tag) => isProvisional(tag, worker.id))) {
      const step = { accion, operacion, hecho_en: new Date().toISOString() };
      const kept = worstOf(await Promise.all(batchSteps(step, tags, worker).map(addStep)));
      setBusy(false);
      notify(...KEPT[kept]());
      if (kept === "saved" || kept === "memory") clear(false);
      return;
    }
    const body = { tag_spools: tags, worker_id: worker.id, operacion };
    const outcome = await send(CALLS[accion], body, { accion, operacion, tags, worker: worker.label });
    setBusy(false);
    if (outcome.kind === "done") setResult(outcome.answer);
    else if (outcome.kind === "refused") notify("bad", outcome.problem.detail);
    else if (outcome.kind === "full") notify("bad", words("unsent.full"));
  }

  return {
    on,
    chosen,
    mine,
    busy,
    result,
    start: () => clear(true),
    stop: () => clear(false),
    possible: (spool, own) => canBeChosen(spool, own, operacion) && (chosen.size === 0 || own === mine),
    toggle,
    perform,
  };
}

/** A spool that is worked joint by joint, held by another worker or held for another operation cannot be chosen. */
function canBeChosen(spool: Spool, own: boolean, operacion: Operacion): boolean {
  if (operacion === "METROLOGIA") return false;
  if (spool.version_workflow === "v4.0" && operacion !== "REPARACION") return false;
  return own ? spool.operacion_actual === operacion : spool.ocupado_por === null;
}
