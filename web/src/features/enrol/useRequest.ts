// A call to the server that a person starts with a button: whether it is under way, and what went wrong.
import { useState } from "react";

import { RefusedError } from "@/api/http";
import { useWords } from "@/i18n";

export interface PersonsRequest {
  busy: boolean;
  problem: string | null;
  run: (call: () => Promise<void>) => void;
}

export function useRequest(): PersonsRequest {
  const t = useWords();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);

  async function run(call: () => Promise<void>): Promise<void> {
    setBusy(true);
    setProblem(null);
    try {
      await call();
    } catch (error) {
      setProblem(error instanceof RefusedError ? error.problem.detail : t("app.unreachable"));
    }
    setBusy(false);
  }
  return { busy, problem, run: (call) => void run(call) };
}
