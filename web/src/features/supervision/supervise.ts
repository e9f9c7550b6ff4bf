// Sends a supervisor's action. Success is shown as a notice; a refusal stays in the dialog, in the server's words.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";

import type { Call } from "@/api/call";
import type { ActionAnswer, PostBody } from "@/api/types";
import { useWords } from "@/i18n";
import { taps, useAct } from "@/taps/hooks";
import { isKept, type TapDetails } from "@/taps/tap";
import { notify } from "@/ui/notices";
import { SCOPE } from "./reads";

/** Every body that a supervisor sends names its spool. */
type AboutSpool = Pick<PostBody<"/api/occupation/liberar">, "tag_spool">;

export interface Supervise {
  send: <Body extends AboutSpool>(call: Call<Body, ActionAnswer>, body: Body, about: Omit<TapDetails, "tags">) => void;
  sending: boolean;
  refusal: string | null;
}

export function useSupervise(onDone: () => void): Supervise {
  const t = useWords();
  const act = useAct();
  const cache = useQueryClient();
  const [sending, setSending] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);
  useEffect(() => dropUnkept, []);

  async function send<Body extends AboutSpool>(
    call: Call<Body, ActionAnswer>,
    body: Body,
    about: Omit<TapDetails, "tags">,
  ): Promise<void> {
    setSending(true);
    setRefusal(null);
    const outcome = await act(call, body, { ...about, tags: [body.tag_spool] });
    setSending(false);
    void cache.invalidateQueries({ queryKey: [SCOPE] });
    if (outcome.kind === "refused") setRefusal(outcome.problem.detail);
    else if (outcome.kind === "full") setRefusal(t("unsent.full"));
    else {
      if (outcome.kind === "done") notify("good", outcome.answer.message);
      onDone();
    }
  }
  return { send: (call, body, about) => void send(call, body, about), sending, refusal };
}

/** The dialog is closed: a supervisor's action that was not answered is not sent behind their back. */
function dropUnkept(): void {
  for (const tap of taps.taps()) if (!isKept(tap)) taps.drop(tap.key);
}
