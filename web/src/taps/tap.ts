// A tap: one action a worker asked for, kept under its key until the server has answered it.
import type { Accion, Operacion, Problem } from "@/api/types";

/** `sending`: on its way. `unsent`: nobody knows whether it arrived; the same key is tried again. */
export type TapState = "sending" | "unsent";

export interface Tap {
  readonly key: string;
  readonly path: string;
  readonly body: unknown;
  readonly about: About;
  readonly at: number; // epoch ms of the tap
  readonly state: TapState;
}

/** What the tablet says about it while it waits. */
export interface About {
  readonly accion: Accion | "APROBAR" | "RECHAZAR";
  readonly operacion: Operacion;
  readonly tags: readonly string[];
  readonly worker: string;
}

export type Outcome<Answer> =
  | { kind: "done"; answer: Answer }
  | { kind: "refused"; problem: Problem }
  | { kind: "dropped" } // a person gave it up; it may have happened all the same
  | { kind: "full" } // too many wait already; this one was not accepted
  | { kind: "elsewhere" }; // another tab of this tablet was answered, or dropped it

/** What an older version of this app left behind may look otherwise. */
export function isTap(found: unknown): found is Tap {
  const { key, path, at, about } = (found ?? {}) as { [Field in keyof Tap]?: unknown };
  const said = (about ?? {}) as { [Field in keyof About]?: unknown };
  return typeof key === "string" && typeof path === "string" && typeof at === "number" && Array.isArray(said.tags);
}
