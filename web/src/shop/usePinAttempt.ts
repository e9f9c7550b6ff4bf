// One attempt after another to prove a PIN: what is under way, what went wrong, and how long to wait.
import { useEffect, useState } from "react";

import { RefusedError } from "@/api/http";
import { useWords } from "@/i18n";

const TICK_MS = 250;

export interface PinAttempt {
  busy: boolean;
  /** What went wrong, in the worker's language. */
  problem: string | null;
  /** The wait is over: the sentence is no bad news. */
  mayTryAgain: boolean;
  /** Changes with every attempt: the pad is empty again. */
  attempt: number;
  submit: (pin: string) => void;
}

interface Failure {
  problem: unknown;
  /** Epoch ms. */
  at: number;
  /** Epoch ms before which another attempt is refused. */
  until: number;
}

export function usePinAttempt(prove: (pin: string) => Promise<void>): PinAttempt {
  const [checking, setChecking] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const [failure, setFailure] = useState<Failure | null>(null);
  const wait_s = useSecondsUntil(failure?.until ?? 0, failure?.at ?? 0);
  const text = useFailureText();

  async function submit(pin: string): Promise<void> {
    setChecking(true);
    setFailure(null);
    try {
      await prove(pin);
    } catch (problem) {
      const at = Date.now();
      setFailure({ problem, at, until: at + retryAfter(problem) * 1_000 });
    }
    setChecking(false);
    setAttempt((before) => before + 1);
  }

  return {
    busy: checking || wait_s > 0,
    problem: failure && text(failure.problem, wait_s),
    mayTryAgain: failure !== null && codeOf(failure.problem) === "DEMASIADOS_INTENTOS" && wait_s === 0,
    attempt,
    submit: (pin) => void submit(pin),
  };
}

const codeOf = (problem: unknown): string | null => (problem instanceof RefusedError ? problem.problem.code : null);

const retryAfter = (problem: unknown): number =>
  problem instanceof RefusedError ? Number((problem.problem as { retry_after_s?: unknown }).retry_after_s ?? 0) : 0;

function useFailureText(): (problem: unknown, wait_s: number) => string {
  const t = useWords();
  return (problem, wait_s) => {
    const code = codeOf(problem);
    if (code === "PIN_INCORRECTO") return t("pin.wrong");
    if (code === "PIN_BLOQUEADO") return t("pin.locked");
    if (code === "DEMASIADOS_INTENTOS") return wait_s > 0 ? t("pin.wait", { count: wait_s }) : t("pin.again");
    return problem instanceof RefusedError ? problem.problem.detail : t("pin.offline");
  };
}

function useSecondsUntil(until: number, since: number): number {
  const [now, setNow] = useState(0);
  useEffect(() => {
    if (until <= since) return;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [until, since]);
  return Math.max(0, Math.ceil((until - Math.max(now, since)) / 1_000));
}
