// The usual reasons of each supervisor's action, and the `motivo` that is recorded.
import type { SupervisorAccion } from "@/api/types";

export const REASONS = {
  LIBERAR: ["end_of_shift", "absent", "priority", "taken_by_mistake"],
  DESBLOQUEAR: ["repair_agreed", "engineering", "rejected_by_mistake"],
  CORREGIR: ["ticked_by_mistake", "not_finished", "wrong_spool", "drawing_changed"],
} as const satisfies Record<SupervisorAccion, readonly string[]>;

export type Reason = (typeof REASONS)[SupervisorAccion][number];

/** The server accepts 500 characters: this many, and the longest usual reason before them. */
export const TYPED_CHARS_MAX = 400;

export const motivo = (picked: string | null, typed: string): string =>
  [picked, typed.trim()].filter(Boolean).join(": ");
