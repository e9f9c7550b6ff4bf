// Answers for one spool or for all: each is an action like any other, kept until the server has answered it.
import { useState } from "react";

import { completar } from "@/api/completar";
import { pausar } from "@/api/pausar";
import { sigo } from "@/api/sigo";
import type { AskedSpool } from "@/api/turno";
import type { Worker } from "@/api/types";
import { words } from "@/i18n";
import { addStep, isProvisional, useAct } from "@/taps/hooks";

const CALLS = { SEGUIR: sigo, PAUSAR: pausar, COMPLETAR: completar } as const;
export type Answer = keyof typeof CALLS;

type Refusals = Readonly<Record<string, string | null>>;

export interface Answers {
  /** Why the server refused the last answer, by tag. */
  refusals: Refusals;
  give: (spools: readonly AskedSpool[], answer: Answer) => void;
}

export function useAnswers(worker: Worker): Answers {
  const send = useAct();
  const [refusals, setRefusals] = useState<Refusals>({});

  /** The sentence for a person, if it went wrong. */
  async function giveOne({ tag_spool: tag, operacion }: AskedSpool, answer: Answer): Promise<string | null> {
    const about = { accion: answer, operacion, tags: [tag], worker: worker.label };
    if (answer !== "SEGUIR" && isProvisional(tag, worker.id)) {
      const step = { accion: answer, operacion, hecho_en: new Date().toISOString() };
      const kept = await addStep({ tag, worker_id: worker.id, step, about });
      return kept === "full" ? words("unsent.full") : kept === "absent" ? words("provisional.absent") : null;
    }
    const outcome = await send(CALLS[answer], { tag_spool: tag, worker_id: worker.id, operacion }, about);
    if (outcome.kind === "full") return words("unsent.full");
    return outcome.kind === "refused" ? outcome.problem.detail : null;
  }

  async function giveAndShow(spool: AskedSpool, answer: Answer): Promise<void> {
    const wrong = await giveOne(spool, answer);
    setRefusals((before) => ({ ...before, [spool.tag_spool]: wrong }));
  }

  return { refusals, give: (spools, answer) => spools.forEach((spool) => void giveAndShow(spool, answer)) };
}
