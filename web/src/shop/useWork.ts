// Acts on one spool: sends the tap, handles a spool whose workflow changed meanwhile, and holds the outcome for the screen.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import type { ChainStep } from "@/api/cadena";
import type { Call } from "@/api/call";
import { cancelar } from "@/api/cancelar";
import { completar } from "@/api/completar";
import { finalizar } from "@/api/finalizar";
import { iniciar } from "@/api/iniciar";
import { inspeccionar, type Resultado } from "@/api/inspeccionar";
import { pausar } from "@/api/pausar";
import { tomar } from "@/api/tomar";
import type { ActionAnswer, Operacion, PostBody, Problem, Worker, Workflow } from "@/api/types";
import { words } from "@/i18n";
import { addStep, isProvisional, useAct } from "@/taps/hooks";
import type { TapDetails, TapOutcome } from "@/taps/tap";
import { notifyPerson } from "@/ui/notices";
import { keys } from "./reads";
import { workflowKey } from "./useShownWorkflow";

const CALLS = { TOMAR: tomar, INICIAR: iniciar, PAUSAR: pausar, COMPLETAR: completar, CANCELAR: cancelar } as const;
export type SpoolAction = keyof typeof CALLS;

type Soldadura = NonNullable<PostBody<"/api/v4/occupation/finalizar">["soldadura"]>;

export interface Work {
  busy: boolean;
  /** The server's sentence after a success; the screen then goes back to the list by itself. */
  done: string | null;
  refusal: Problem | null;
  /** The server refused to end the work because the spool has this workflow now; nothing was recorded. */
  actualWorkflow: Workflow | null;
  act: (accion: SpoolAction) => void;
  finish: (unions: number[], soldadura?: Soldadura) => void;
  inspect: (resultado: Resultado) => void;
}

export function useWork(tag: string, worker: Worker, operacion: Operacion): Work {
  const send = useAct();
  const cache = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState<string | null>(null);
  const [refusal, setRefusal] = useState<Problem | null>(null);
  const [actualWorkflow, setActualWorkflow] = useState<Workflow | null>(null);
  // No screen takes or ends a spool for METROLOGIA, or starts REPARACION joint by joint; the server would refuse it.
  const spoolBody = { tag_spool: tag, worker_id: worker.id, operacion } as PostBody<"/api/v4/occupation/iniciar">;
  const about = (accion: TapDetails["accion"]): TapDetails => ({ accion, operacion, tags: [tag], worker: worker.label });

  /** Without a connection the step is kept, and the card shows what would be. True: it was kept here. */
  async function keep(accion: ChainStep["accion"], ticked?: Pick<ChainStep, "uniones" | "soldadura">): Promise<boolean> {
    if (operacion === "METROLOGIA" || !isProvisional(tag, worker.id)) return false;
    setBusy(true);
    setRefusal(null);
    setActualWorkflow(null);
    const step: ChainStep = { accion, operacion, ...ticked, hecho_en: new Date().toISOString() };
    const kept = await addStep({ tag, worker_id: worker.id, step, about: about(accion) });
    setBusy(false);
    if (kept === "full") notifyPerson(worker.id, "bad", words("unsent.full"));
    if (kept === "absent") notifyPerson(worker.id, "bad", words("provisional.absent"), true);
    return true;
  }

  async function act(accion: SpoolAction): Promise<void> {
    if (!(await keep(accion))) await perform(CALLS[accion], spoolBody, accion);
  }

  async function finish(uniones: number[], typed: Soldadura = []): Promise<void> {
    const soldadura = typed.length > 0 ? { soldadura: typed } : {};
    if (await keep("FINALIZAR", { uniones, ...soldadura })) return;
    await perform(finalizar, { ...spoolBody, selected_unions: uniones, ...soldadura }, "FINALIZAR");
  }

  async function perform<Body>(call: Call<Body, ActionAnswer>, body: Body, accion: TapDetails["accion"]): Promise<void> {
    setBusy(true);
    setRefusal(null);
    setActualWorkflow(null);
    const outcome = await send(call, body, about(accion));
    setBusy(false);
    await onOutcome(outcome, accion);
  }

  async function onOutcome(outcome: TapOutcome<ActionAnswer>, accion: TapDetails["accion"]): Promise<void> {
    if (outcome.kind === "done") {
      for (const warning of outcome.answer.avisos ?? []) notifyPerson(worker.id, "warn", warning);
      setDone(outcome.answer.message);
    }
    if (outcome.kind === "full") notifyPerson(worker.id, "bad", words("unsent.full"));
    if (outcome.kind !== "refused") return;
    if (outcome.problem.code !== "WRONG_VERSION") {
      setRefusal(outcome.problem);
      return;
    }
    void cache.invalidateQueries({ queryKey: keys.card(tag, worker.id) });
    await continueIn(outcome.problem.version_workflow === "v4.0" ? "v4.0" : "v3.0", accion);
  }

  /** A take means the same in both workflows, so it is sent again in the right one; how to end the work is left to the worker. */
  async function continueIn(workflow: Workflow, accion: TapDetails["accion"]): Promise<void> {
    if (accion !== "TOMAR" && accion !== "INICIAR") {
      setActualWorkflow(workflow);
      return;
    }
    notifyPerson(worker.id, "warn", words(`spool.now.${workflowKey(workflow)}`));
    const take = workflow === "v4.0" ? "INICIAR" : "TOMAR";
    if (accion !== take) await perform(CALLS[take], spoolBody, take);
  }

  return {
    busy,
    done,
    refusal,
    actualWorkflow,
    act: (accion) => void act(accion),
    finish: (unions, soldadura) => void finish(unions, soldadura),
    inspect: (resultado) => {
      const body = { tag_spool: tag, worker_id: worker.id, resultado };
      void perform(inspeccionar, body, resultado === "APROBADO" ? "APROBAR" : "RECHAZAR");
    },
  };
}
