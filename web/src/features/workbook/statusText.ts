// How the card presents the status: which decisions it offers, how much of a list it shows, which tone and reason.
import type { Decision } from "@/api/sync-freeze";
import type { FreezeKind, SyncState, SyncStatus } from "@/api/sync-status";

export const SHOWN_MAX = 5;

export interface ShortList<Item> {
  shown: readonly Item[];
  /** How many are not shown. */
  more: number;
}

/** `total` is larger than the list where the server sends only a part of it. */
export function shortList<Item>(all: readonly Item[], total = all.length): ShortList<Item> {
  const shown = all.slice(0, SHOWN_MAX);
  return { shown, more: Math.max(0, total - shown.length) };
}

const DECISIONS: Record<FreezeKind, readonly Decision[]> = {
  FILAS: ["CONFIRMAR", "REANUDAR"],
  CELDAS: ["CONFIRMAR", "REANUDAR"],
  PESTAÑA: ["CONFIRMAR"], // goes on with another tab of the same name; without one there is nothing to write to
  COLUMNAS: [], // a missing column cannot be decided about: the sheet goes on once the column is back
};

export const decisionsFor = (kind: FreezeKind): readonly Decision[] => DECISIONS[kind];

export const TONES = {
  al_dia: "good",
  escribiendo: "plain",
  esperando: "warn",
  detenida: "bad",
  sin_planilla: "plain",
} as const satisfies Record<SyncState, string>;

/** Why the lane waits. `reason`: show the lane's own sentence, which says more than the app's. */
export function waitingReason({ state, reason, running, connected }: SyncStatus): "reason" | "not_connected" | "not_running" | null {
  if (reason) return "reason";
  if (state !== "esperando") return null;
  return connected || running ? "not_running" : "not_connected";
}
