// A tap: one action that a worker asked for, stored under its idempotency key until the server has answered it.
import type { Accion, Operacion, Problem } from "@/api/types";

/** `sending`: on its way. `unsent`: it may or may not have arrived; the same key is tried again. */
export type TapState = "sending" | "unsent";

export interface Tap {
  readonly key: string;
  readonly path: string;
  readonly body: unknown;
  readonly about: TapDetails;
  readonly at: number; // epoch ms of the tap
  readonly state: TapState;
}

/** What the screen shows about a tap while the tap waits for its answer. */
export interface TapDetails {
  readonly accion: Accion | "APROBAR" | "RECHAZAR";
  readonly operacion: Operacion;
  readonly tags: readonly string[];
  readonly worker: string;
}

export type TapOutcome<Answer> =
  | { kind: "done"; answer: Answer }
  | { kind: "refused"; problem: Problem }
  | { kind: "dropped" } // a person gave it up; the server may have done it all the same
  | { kind: "full" } // too many taps wait already; this one was not accepted
  | { kind: "elsewhere" }; // another tab of this tablet got the answer, or dropped the tap

/** An older version of this app may have stored taps of another shape: those are not taps. */
export function isTap(value: unknown): value is Tap {
  const { key, path, at, about } = (value ?? {}) as { [Field in keyof Tap]?: unknown };
  const details = (about ?? {}) as { [Field in keyof TapDetails]?: unknown };
  return typeof key === "string" && typeof path === "string" && typeof at === "number" && Array.isArray(details.tags);
}
