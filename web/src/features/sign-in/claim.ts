// Who wants to sign in now: picked from a list, or by a badge. One at a time, for the whole page.
import { useSyncExternalStore } from "react";

import type { Worker } from "@/api/types";

/** `withPin`: the server asked for the PIN of this badge's owner. */
export type Claim = { worker: Worker } | { badge: string; withPin?: boolean };

let claim: Claim | null = null;
const listeners = new Set<() => void>();

export function setClaim(changed: Claim | null): void {
  claim = changed;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether the screen is covered by the pad of somebody who wants to sign in. */
export const isClaimed = (): boolean => claim !== null;

export const useClaim = (): Claim | null => useSyncExternalStore(subscribe, () => claim);

const WITH_PIN: readonly string[] = ["Metrologia", "NDT", "Supervisor", "Administrador"];

/** In mode `device` only people with one of these roles have to type their PIN. */
export const needsPin = (mode: string, of: Claim): boolean =>
  mode === "pin" || ("worker" in of ? of.worker.roles.some((rol) => WITH_PIN.includes(rol)) : of.withPin === true);
