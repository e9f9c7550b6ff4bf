// The latest events, newest first; the board shows them on every page.
import { useState } from "react";

import type { SpoolUpdate } from "@/api/types";
import { useLive } from "@/live/hooks";

export const MOVES_MAX = 2;

/** The events that the board shows; each has its sentence in the catalogue. The events of single joints are left out. */
const MOVES = [
  "TOMAR_SPOOL",
  "INICIAR_SPOOL",
  "TOMAR_REPARACION",
  "PAUSAR_SPOOL",
  "SPOOL_ARM_PAUSADO",
  "SPOOL_SOLD_PAUSADO",
  "PAUSAR_REPARACION",
  "COMPLETAR_ARM",
  "COMPLETAR_SOLD",
  "SPOOL_ARM_COMPLETADO",
  "SPOOL_SOLD_COMPLETADO",
  "COMPLETAR_REPARACION",
  "CANCELAR_ARM",
  "CANCELAR_SOLD",
  "SPOOL_CANCELADO",
  "CANCELAR_REPARACION",
  "METROLOGIA_APROBADO",
  "METROLOGIA_RECHAZADO",
  "SUPERVISOR_OVERRIDE",
  "LIBERAR_SPOOL",
  "CORRECCION",
  "EDICION_EXTERNA",
  "REGISTRO_TARDIO",
  "RELEVO",
  "NOTA",
  "NDT_APROBADO",
  "NDT_RECHAZADO",
  "REPARACION_UNION",
] as const;

export type MoveType = (typeof MOVES)[number];

export interface Move extends SpoolUpdate {
  event_type: MoveType;
}

const isMove = (update: SpoolUpdate): update is Move => (MOVES as readonly string[]).includes(update.event_type);

export const withMove = (moves: readonly Move[], update: SpoolUpdate): readonly Move[] =>
  isMove(update) ? [update, ...moves].slice(0, MOVES_MAX) : moves;

export function useMoves(): readonly Move[] {
  const [moves, setMoves] = useState<readonly Move[]>([]);
  useLive((update) => setMoves((moves) => withMove(moves, update)));
  return moves;
}
