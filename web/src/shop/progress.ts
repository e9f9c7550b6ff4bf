// The progress of an operation on a spool: joints done where the spool is worked joint by joint (v4.0), a state otherwise.
import type { Estado, Operacion, Spool } from "@/api/types";

export type Progress = { kind: "joints"; done: number; total: number } | { kind: "state"; estado: Estado };

export function progressOf(spool: Spool, operacion: Operacion): Progress | null {
  if (operacion === "METROLOGIA" || operacion === "REPARACION") return null;
  if (spool.version_workflow === "v3.0") return { kind: "state", estado: operacion === "ARM" ? spool.arm : spool.sold };
  return operacion === "ARM"
    ? { kind: "joints", done: spool.uniones_arm_completadas, total: spool.total_uniones ?? 0 }
    : { kind: "joints", done: spool.uniones_sold_completadas, total: spool.uniones_sold_necesarias };
}

/** The worker's id in a label: `MR(93)` is 93. */
export function idOf(label: string | null): number | null {
  const match = /\((\d+)\)$/.exec(label ?? "");
  return match ? Number(match[1]) : null;
}

/** Inches exact to the thousandth, without trailing zeros: 18.5. */
export const inches = (amount: number): string => String(Math.round(amount * 1000) / 1000);
