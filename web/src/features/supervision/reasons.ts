// The usual reasons of each action, and the sentence that goes into the trail.
import type { SupervisorAccion } from "@/api/types";

export const REASONS = {
  LIBERAR: ["end_of_shift", "absent", "priority", "taken_by_mistake"],
  DESBLOQUEAR: ["repair_agreed", "engineering", "rejected_by_mistake"],
  CORREGIR: ["ticked_by_mistake", "not_finished", "wrong_spool", "drawing_changed"],
} as const satisfies Record<SupervisorAccion, readonly string[]>;

export type Reason = (typeof REASONS)[SupervisorAccion][number];

/** The server takes 500 characters; the longest usual reason fits beside this many. */
export const TYPED_CHARS_MAX = 400;

export const motivo = (picked: string | null, typed: string): string =>
  [picked, typed.trim()].filter(Boolean).join(": ");
