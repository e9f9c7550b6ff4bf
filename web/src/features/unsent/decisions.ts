// Who may decide about a tap that waits. Pure.
import type { Worker } from "@/api/types";
import type { Tap } from "@/taps/tap";

/** `send`: send it now, or drop it. `confirm`: say that it is theirs, or drop it. `drop`: only drop it. */
export type Decision = "send" | "confirm" | "drop" | "none";

/** `isProven`: the server knows the PIN with which the screen was opened. Nobody else decides about anybody's taps. */
export function decisionOf(tap: Tap, worker: Worker | null, isProven: boolean): Decision {
  if (!tap.author) return "send"; // the server knows no identities
  if (!isProven) return "none";
  if (tap.author.worker_id === worker?.id) return tap.doubtful || tap.waits === "confirm" ? "confirm" : "send";
  return worker?.roles.includes("Supervisor") ? "drop" : "none";
}

export const isOfOther = ({ author }: Tap, worker: Worker | null): boolean =>
  author !== undefined && author.worker_id !== worker?.id;
