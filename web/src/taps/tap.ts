// A tap: one action that a worker asked for, stored under its idempotency key until the server has answered it.
import type { Accion, Operacion, Problem } from "@/api/types";
import type { Signature } from "./signing";

/** `sending`: on its way. `unsent`: it may or may not have arrived; the same key is tried again. */
export type TapState = "sending" | "unsent";

/** Why a tap is not sent although the server may be there. `author`: its author must sign in. `confirm`: it was made after a wrong
 * PIN, or one of which nothing is known any more, so its author must say whether it is theirs. `proof`: the PIN that was typed without a connection is not checked yet. `pin`:
 * the supervisor must type the PIN again. `device`: this device is not enrolled. */
export type TapWait = "author" | "confirm" | "proof" | "pin" | "device";

export interface Tap {
  readonly key: string;
  readonly path: string;
  readonly body: unknown;
  readonly about: TapDetails;
  readonly at: number; // epoch ms of the tap, by the tablet's clock, which may jump
  /** Higher than that of every tap that waited when this one was made. Missing in taps of an older version. */
  readonly order?: number | undefined;
  readonly state: TapState;
  /** Who was signed in. Missing: the server knows no identities (mode `open`). */
  readonly author?: TapAuthor;
  /** Missing: the tap can only be sent while its author is signed in. */
  readonly signature?: Signature | undefined;
  /** Made after a PIN that turned out to be wrong. */
  readonly doubtful?: boolean | undefined;
  /** Of a chain: whether it has left this tablet. Other taps are sent at once, and have none. */
  readonly sent?: boolean | undefined;
  /** Whether it survives a killed browser: set when the transaction that stores it is complete. */
  readonly saved?: boolean | undefined;
  /** The key of this person's tap on the same spool that must be answered before this one is sent. */
  readonly follows?: string | undefined;
  readonly waits?: TapWait | undefined;
}

export interface TapAuthor {
  readonly worker_id: number;
  readonly session: string;
  /** The name of the sealed PIN with which the screen was opened without a connection; null: the server knows the PIN. */
  readonly seal: string | null;
}

/** What the screen shows about a tap while the tap waits for its answer. */
export interface TapDetails {
  readonly accion: Accion | "APROBAR" | "RECHAZAR" | "RECLAMAR" | "SEGUIR" | "NOTA" | "NDT";
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

/** In the order in which they were made, whatever the tablet's clock said meanwhile. */
export const byOrder = (a: Tap, b: Tap): number => (a.order ?? 0) - (b.order ?? 0) || a.at - b.at;

/** Whose tap it is. Bodies of an older version, without an author, name the worker too. */
export function authorIdOf({ author, body }: Pick<Tap, "author" | "body">): number | null {
  if (author) return author.worker_id;
  const { worker_id, supervisor_id } = (body ?? {}) as { worker_id?: unknown; supervisor_id?: unknown };
  const id = worker_id ?? supervisor_id;
  return typeof id === "number" ? id : null;
}

/** A note, an examination or a "Sigo yo" that waits changes nothing of the work on the spool, and holds up nobody. */
export const isWorkOn = ({ about }: Pick<Tap, "about">, tag: string): boolean =>
  !["NOTA", "NDT", "SEGUIR"].includes(about.accion) && about.tags.includes(tag);

/** A supervisor's action is meant for now: it is sent only while the supervisor waits for it, and never after a reload. */
export const isKept = ({ about, author }: Tap): boolean =>
  author === undefined || !["LIBERAR", "DESBLOQUEAR", "CORREGIR"].includes(about.accion);
