// Acting on one spool: sends the tap, follows a spool that changed its workflow, and says what became of it.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

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
import { useAct } from "@/taps/hooks";
import type { About, Outcome } from "@/taps/tap";
import { notify } from "@/ui/notices";
import { keys } from "./reads";
import { sentencesOf } from "./useShownWorkflow";

const WHOLE = { TOMAR: tomar, INICIAR: iniciar, PAUSAR: pausar, COMPLETAR: completar, CANCELAR: cancelar } as const;
export type Whole = keyof typeof WHOLE;

export interface Work {
  busy: boolean;
  /** The server's sentence after a success; the screen returns by itself. */
  done: string | null;
  refusal: Problem | null;
  /** An ending was refused because the spool is worked in this way now: nothing was recorded. */
  movedTo: Workflow | null;
  act: (accion: Whole) => void;
  finish: (unions: number[]) => void;
  inspect: (resultado: Resultado) => void;
}

export function useWork(tag: string, worker: Worker, operacion: Operacion): Work {
  const send = useAct();
  const cache = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState<string | null>(null);
  const [refusal, setRefusal] = useState<Problem | null>(null);
  const [movedTo, setMovedTo] = useState<Workflow | null>(null);
  // No screen takes or ends a spool for METROLOGIA, or starts REPARACION joint by joint; the server would refuse it.
  const one = { tag_spool: tag, worker_id: worker.id, operacion } as PostBody<"/api/v4/occupation/iniciar">;
  const about = (accion: About["accion"]): About => ({ accion, operacion, tags: [tag], worker: worker.label });

  async function ask<Body>(call: Call<Body, ActionAnswer>, body: Body, accion: About["accion"]): Promise<void> {
    setBusy(true);
    setRefusal(null);
    setMovedTo(null);
    const outcome = await send(call, body, about(accion));
    setBusy(false);
    await hear(outcome, accion);
  }

  async function hear(outcome: Outcome<ActionAnswer>, accion: About["accion"]): Promise<void> {
    if (outcome.kind === "done") setDone(outcome.answer.message);
    if (outcome.kind === "full") notify("bad", words("unsent.full"));
    if (outcome.kind !== "refused") return;
    if (outcome.problem.code !== "WRONG_VERSION") {
      setRefusal(outcome.problem);
      return;
    }
    void cache.invalidateQueries({ queryKey: keys.card(tag, worker.id) });
    await goOn(outcome.problem.version_workflow === "v4.0" ? "v4.0" : "v3.0", accion);
  }

  /** A take means the same in both workflows and goes on by itself; an ending is left to the worker, in the right one. */
  async function goOn(workflow: Workflow, accion: About["accion"]): Promise<void> {
    if (accion !== "TOMAR" && accion !== "INICIAR") {
      setMovedTo(workflow);
      return;
    }
    notify("warn", words(`spool.now.${sentencesOf(workflow)}`));
    const take = workflow === "v4.0" ? "INICIAR" : "TOMAR";
    if (accion !== take) await ask(WHOLE[take], one, take);
  }

  return {
    busy,
    done,
    refusal,
    movedTo,
    act: (accion) => void ask(WHOLE[accion], one, accion),
    finish: (unions) => void ask(finalizar, { ...one, selected_unions: unions }, "FINALIZAR"),
    inspect: (resultado) => {
      const body = { tag_spool: tag, worker_id: worker.id, resultado };
      void ask(inspeccionar, body, resultado === "APROBADO" ? "APROBAR" : "RECHAZAR");
    },
  };
}
