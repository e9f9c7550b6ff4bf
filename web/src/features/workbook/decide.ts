// Sends a supervisor's decision about the workbook. The decision is about what the screen shows now, so it is never sent again by
// itself: later it would be about something else.
import { useMutation, useQueryClient } from "@tanstack/react-query";

import { RefusedError } from "@/api/http";
import type { DecisionAnswer } from "@/api/sync-freeze";
import { useWords } from "@/i18n";
import { newKey } from "@/taps/key";
import { notify } from "@/ui/notices";
import { SYNC } from "./reads";

export interface SendDecision {
  send: () => void;
  sending: boolean;
  /** The server's sentence, or that the server did not answer. */
  refusal: string | null;
}

export function useDecide(call: (key: string) => Promise<DecisionAnswer>, onDone: () => void = () => undefined): SendDecision {
  const t = useWords();
  const cache = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call(newKey()),
    networkMode: "always",
    onSuccess: ({ message }) => {
      notify("good", message);
      onDone();
    },
    onSettled: () => void cache.invalidateQueries({ queryKey: SYNC }),
  });
  const refusal = error && (error instanceof RefusedError ? error.problem.detail : t("workbook.no_answer"));
  return { send: () => mutate(), sending: isPending, refusal };
}
