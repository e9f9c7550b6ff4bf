// A call to the server that somebody of the office starts with a button: whether it is under way, and what went wrong. If the server
// wants the person's PIN again, the pad opens and the call is repeated.
import { useState, type ReactNode } from "react";

import { NoAnswerError, RefusedError } from "@/api/http";
import { useWords } from "@/i18n";
import { confirmPin } from "@/session/signIn";
import { fieldErrorsOf, NO_ERRORS, type FieldErrors } from "./fieldErrors";
import { PinAgain } from "./PinAgain";

type ServerCall = () => Promise<void>;

export interface OfficeRequest {
  busy: boolean;
  /** The server's sentence, or that the server did not answer. */
  problem: string | null;
  /** What the server said about single fields, by their names. */
  errors: FieldErrors;
  run: (call: ServerCall) => void;
  forget: () => void;
  /** The PIN pad, while the server asks for the PIN. Has to be rendered. */
  pinPad: ReactNode;
}

export function useOfficeRequest(): OfficeRequest {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [errors, setErrors] = useState<FieldErrors>(NO_ERRORS);
  const [waiting, setWaiting] = useState<{ call: ServerCall } | null>(null);
  const problemText = useProblemText();

  const forget = (): void => {
    setProblem(null);
    setErrors(NO_ERRORS);
  };

  async function run(call: ServerCall): Promise<void> {
    setBusy(true);
    forget();
    try {
      await call();
    } catch (error) {
      if (error instanceof RefusedError && error.problem.code === "PIN_REQUERIDO") setWaiting({ call });
      else {
        setProblem(problemText(error));
        setErrors(error instanceof RefusedError ? fieldErrorsOf(error.problem) : NO_ERRORS);
      }
    }
    setBusy(false);
  }

  const cancel = (): void => setWaiting(null);
  const proveAndRepeat = async (pin: string): Promise<void> => {
    await confirmPin(pin);
    setWaiting(null);
    if (waiting) void run(waiting.call);
  };
  const pinPad = waiting && (
    <PinAgain onPin={proveAndRepeat} onBack={cancel} />
  );
  return { busy, problem, errors, run: (call) => void run(call), forget, pinPad };
}

/** What the server said, also where it could not do it; else that it did not answer. */
export function useProblemText(): (error: unknown) => string {
  const t = useWords();
  return (error) => {
    if (error instanceof RefusedError) return error.problem.detail;
    return (error instanceof NoAnswerError ? error.problem?.detail : undefined) ?? t("app.no_answer");
  };
}
