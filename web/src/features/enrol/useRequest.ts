// A call to the server that a person starts with a button: whether it is under way, and what went wrong.
import { useState } from "react";

import { RefusedError } from "@/api/http";
import { useWords } from "@/i18n";
import { fieldErrorsOf, NO_ERRORS, type FieldErrors } from "@/shop/fieldErrors";

export interface PersonsRequest {
  busy: boolean;
  problem: string | null;
  /** What the server said about single fields, by their names. */
  errors: FieldErrors;
  run: (call: () => Promise<void>) => void;
}

export function useRequest(): PersonsRequest {
  const t = useWords();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [errors, setErrors] = useState<FieldErrors>(NO_ERRORS);

  async function run(call: () => Promise<void>): Promise<void> {
    setBusy(true);
    setProblem(null);
    setErrors(NO_ERRORS);
    try {
      await call();
    } catch (error) {
      setProblem(error instanceof RefusedError ? error.problem.detail : t("app.unreachable"));
      setErrors(error instanceof RefusedError ? fieldErrorsOf(error.problem) : NO_ERRORS);
    }
    setBusy(false);
  }
  return { busy, problem, errors, run: (call) => void run(call) };
}
