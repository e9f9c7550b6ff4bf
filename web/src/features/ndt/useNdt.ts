// Sends what people do about examinations. A success is a notice; a refusal stays on the screen, in the server's words.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import type { Call } from "@/api/call";
import type { Worker } from "@/api/types";
import { useWords } from "@/i18n";
import { useLive } from "@/live/hooks";
import { useAct } from "@/taps/hooks";
import { notifyPerson } from "@/ui/notices";

export const NDT_KEY = "ndt";
const ABOUT_EXAMS = /^NDT_|^REPARACION_UNION$|^CORRECCION$|^UNION_SOLD_|^EDICION_EXTERNA$/;

interface Answer {
  message: string;
}

export interface SendNdt {
  send: <Body extends { tag_spool: string }>(call: Call<Body, Answer>, body: Body) => void;
  sending: boolean;
  refusal: string | null;
}

export function useNdt(worker: Worker, onDone: () => void): SendNdt {
  const t = useWords();
  const act = useAct();
  const cache = useQueryClient();
  const [sending, setSending] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);

  async function send<Body extends { tag_spool: string }>(call: Call<Body, Answer>, body: Body): Promise<void> {
    setSending(true);
    setRefusal(null);
    const outcome = await act(call, body, { accion: "NDT", operacion: "SOLD", tags: [body.tag_spool], worker: worker.label });
    setSending(false);
    void cache.invalidateQueries({ queryKey: [NDT_KEY] });
    void cache.invalidateQueries({ queryKey: ["card", body.tag_spool] });
    if (outcome.kind === "refused") setRefusal(outcome.problem.detail);
    else if (outcome.kind === "full") setRefusal(t("unsent.full"));
    else {
      if (outcome.kind === "done") notifyPerson(worker.id, "good", outcome.answer.message);
      onDone();
    }
  }
  return { send: (call, body) => void send(call, body), sending, refusal };
}

/** Lists are read anew when somebody, anywhere, did something about examinations. */
export function useNdtNews(): void {
  const cache = useQueryClient();
  useLive((update) => {
    if (ABOUT_EXAMS.test(update.event_type)) void cache.invalidateQueries({ queryKey: [NDT_KEY] });
  });
}
