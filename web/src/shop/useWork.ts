// Acting on one spool: sends the tap, follows a spool that changed its workflow, and says what became of it.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import type { Call } from "@/api/call";
import { cancelar } from "@/api/cancelar";
import { completar } from "@/api/completar";
import { finalizar } from "@/api/finalizar";
import type { Problem } from "@/api/http";
import { iniciar } from "@/api/iniciar";
import { inspeccionar } from "@/api/inspeccionar";
import { pausar } from "@/api/pausar";
import type { ActionAnswer, Operacion, Worker, Workflow } from "@/api/shapes";
import { tomar } from "@/api/tomar";
import { words } from "@/i18n";
import { useAct } from "@/taps/hooks";
import type { About, Outcome } from "@/taps/tap";
import { notify } from "@/ui/notices";
import { keys } from "./reads";

const WHOLE = { TOMAR: tomar, INICIAR: iniciar, PAUSAR: pausar, COMPLETAR: completar, CANCELAR: cancelar } as const;
export type Whole = keyof typeof WHOLE;

export interface Work {
  busy: boolean;
  /** The server's sentence after a success; the screen returns by itself. */
  done: string | null;
  refusal: Problem | null;
  act: (accion: Whole) => void;
  finish: (unions: number[]) => void;
  inspect: (resultado: "APROBADO" | "RECHAZADO") => void;
}

export function useWork(tag: string, worker: Worker, operacion: Operacion): Work {
  const send = useAct();
  const corrected = useCorrected(tag, worker);
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState<string | null>(null);
  const [refusal, setRefusal] = useState<Problem | null>(null);
  const one = { tag_spool: tag, worker_id: worker.id, operacion };
  const about = (accion: About["accion"]): About => ({ accion, operacion, tags: [tag], worker: worker.label });

  async function ask<Body>(call: Call<Body, ActionAnswer>, body: Body, accion: About["accion"]): Promise<void> {
    setBusy(true);
    setRefusal(null);
    const outcome = await send(call, body, about(accion));
    setBusy(false);
    await hear(outcome, accion);
  }

  /** A take means the same in both workflows, so it goes on by itself; an ending is asked in the right one. */
  async function hear(outcome: Outcome<ActionAnswer>, accion: About["accion"]): Promise<void> {
    if (outcome.kind === "done") setDone(outcome.answer.message);
    if (outcome.kind === "full") notify("bad", words("unsent.full"));
    if (outcome.kind !== "refused") return;
    if (outcome.problem.code !== "WRONG_VERSION") {
      setRefusal(outcome.problem);
      return;
    }
    const take = corrected(outcome.problem) === "v4.0" ? "INICIAR" : "TOMAR";
    if ((accion === "TOMAR" || accion === "INICIAR") && accion !== take) await ask(WHOLE[take], one, take);
  }

  return {
    busy,
    done,
    refusal,
    act: (accion) => void ask(WHOLE[accion], one, accion),
    finish: (unions) => void ask(finalizar, { ...one, selected_unions: unions }, "FINALIZAR"),
    inspect: (resultado) => {
      const body = { tag_spool: tag, worker_id: worker.id, resultado };
      void ask(inspeccionar, body, resultado === "APROBADO" ? "APROBAR" : "RECHAZAR");
    },
  };
}

/** What the server says about the workflow holds from now on, and the worker is told. */
function useCorrected(tag: string, worker: Worker): (problem: Problem) => Workflow {
  const cache = useQueryClient();
  return (problem) => {
    const workflow: Workflow = problem.version_workflow === "v4.0" ? "v4.0" : "v3.0";
    cache.setQueryData(keys.version(tag), workflow);
    void cache.invalidateQueries({ queryKey: keys.card(tag, worker.id) });
    notify("warn", words(workflow === "v4.0" ? "spool.now_v4" : "spool.now_v3"));
    return workflow;
  };
}
