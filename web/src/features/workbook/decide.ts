// Sending what a supervisor decided about the workbook. It is about what is seen now, so it is never repeated by itself:
// later it would decide about something else.
import { useMutation, useQueryClient } from "@tanstack/react-query";

import { Refused } from "@/api/http";
import type { DecisionAnswer } from "@/api/sync-freeze";
import { useWords } from "@/i18n";
import { newKey } from "@/taps/key";
import { notify } from "@/ui/notices";
import { SYNC } from "./reads";

export interface Decide {
  send: () => void;
  sending: boolean;
  /** Why not: in the server's words, or that nobody answered. */
  refusal: string | null;
}

export function useDecide(call: (key: string) => Promise<DecisionAnswer>, onDone: () => void = () => undefined): Decide {
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
  const refusal = error && (error instanceof Refused ? error.problem.detail : t("workbook.no_answer"));
  return { send: () => mutate(), sending: isPending, refusal };
}
