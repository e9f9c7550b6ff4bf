// How the status is told: which decisions make sense, how much of a list is shown, in which tone.
import type { Decision } from "@/api/sync-freeze";
import type { FreezeKind, SyncState, SyncStatus } from "@/api/sync-status";

export const LISTED_MAX = 5;

export interface Listed<One> {
  shown: readonly One[];
  /** How many are there beside those shown. */
  more: number;
}

/** `total` where the server counted more than it tells. */
export function listed<One>(all: readonly One[], total = all.length): Listed<One> {
  const shown = all.slice(0, LISTED_MAX);
  return { shown, more: Math.max(0, total - shown.length) };
}

const DECISIONS: Record<FreezeKind, readonly Decision[]> = {
  FILAS: ["CONFIRMAR", "REANUDAR"],
  CELDAS: ["CONFIRMAR", "REANUDAR"],
  PESTAÑA: ["CONFIRMAR"], // another tab of its name is taken; without one there is nothing to write to
  COLUMNAS: [], // nothing can be decided about a column that is not there: it goes on once it is back
};

export const decisionsOn = (kind: FreezeKind): readonly Decision[] => DECISIONS[kind];

export const TONES = {
  al_dia: "good",
  escribiendo: "plain",
  esperando: "warn",
  detenida: "bad",
  sin_planilla: "plain",
} as const satisfies Record<SyncState, string>;

/** Why it waits; the lane's own sentence says more than ours. */
export function waitsFor({ state, reason, running, connected }: SyncStatus): "reason" | "not_connected" | "not_running" | null {
  if (reason) return "reason";
  if (state !== "esperando") return null;
  return connected || running ? "not_running" : "not_connected";
}
