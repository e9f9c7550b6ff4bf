// The choice of several spools: up to fifty, all to be taken or all to be ended.
import { useState } from "react";

import { batchCompletar } from "@/api/batch-completar";
import { batchIniciar } from "@/api/batch-iniciar";
import { batchPausar } from "@/api/batch-pausar";
import { batchTomar } from "@/api/batch-tomar";
import type { BatchAnswer, Operacion, PostBody, Spool, Worker } from "@/api/types";
import { words } from "@/i18n";
import { addStep, isProvisional, useAct } from "@/taps/hooks";
import type { StepResult } from "@/taps/queue";
import type { TapOutcome } from "@/taps/tap";
import { notify, notifyPerson, type Notice } from "@/ui/notices";
import { answersTogether, type BatchAction, canBeChosen, type Chosen, type PlannedCall, plannedCalls } from "./batchCalls";
import { batchSteps, worstOf } from "./batchSteps";

export const BATCH_MAX = 50;
const CALLS = { TOMAR: batchTomar, PAUSAR: batchPausar, COMPLETAR: batchCompletar } as const;
type JointOperation = PostBody<"/api/v4/occupation/batch-iniciar">["operacion"];
const KEPT: Record<StepResult, () => [tone: Notice["tone"], text: string, stays?: boolean]> = {
  saved: () => ["plain", words("provisional.saved")],
  memory: () => ["warn", words("provisional.not_saved"), true],
  full: () => ["bad", words("unsent.full")],
  absent: () => ["bad", words("provisional.absent"), true],
};

export interface Batch {
  on: boolean;
  chosen: Chosen;
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
  const [chosen, setChosen] = useState<Chosen>(new Map());
  const [mine, setMine] = useState(false);
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<BatchAnswer | null>(null);
  const send = useAct();

  function clear(active: boolean): void {
    setOn(active);
    setChosen(new Map());
    setResult(null);
  }

  function toggle(spool: Spool, own: boolean): void {
    const changed = new Map(chosen);
    if (!changed.delete(spool.tag_spool)) changed.set(spool.tag_spool, spool.version_workflow);
    if (changed.size > BATCH_MAX) {
      notify("warn", words("batch.max", { max: BATCH_MAX }));
      return;
    }
    setMine(own);
    setChosen(changed);
  }

  async function perform(accion: BatchAction): Promise<void> {
    if (operacion === "METROLOGIA") return; // nothing can be chosen there: nobody holds a spool for it
    const calls = plannedCalls(accion, chosen, operacion);
    setBusy(true);
    if ([...chosen.keys()].some((tag) => isProvisional(tag, worker.id))) {
      const hecho_en = new Date().toISOString();
      const steps = calls.flatMap((call) => batchSteps({ accion: call.accion, operacion, hecho_en }, call.tags, worker));
      const kept = worstOf(await Promise.all(steps.map(addStep)));
      setBusy(false);
      notifyPerson(worker.id, ...KEPT[kept]());
      if (kept === "saved" || kept === "memory") clear(false);
      return;
    }
    const outcomes = await Promise.all(calls.map((call) => sendOne(call, operacion)));
    setBusy(false);
    const answers = outcomes.flatMap((outcome) => (outcome.kind === "done" ? [outcome.answer] : []));
    if (answers.length > 0) setResult(answersTogether(answers));
    for (const outcome of outcomes) {
      if (outcome.kind === "refused") notifyPerson(worker.id, "bad", outcome.problem.detail);
      else if (outcome.kind === "full") notifyPerson(worker.id, "bad", words("unsent.full"));
    }
  }

  function sendOne({ accion, tags }: PlannedCall, worked: Exclude<Operacion, "METROLOGIA">): Promise<TapOutcome<BatchAnswer>> {
    const about = { accion, operacion: worked, tags, worker: worker.label };
    const body = { tag_spools: tags, worker_id: worker.id, operacion: worked };
    if (accion !== "INICIAR") return send(CALLS[accion], body, about);
    return send(batchIniciar, { ...body, operacion: worked as JointOperation }, about); // never planned for a repair
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
