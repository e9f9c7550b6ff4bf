// How far a spool is, for one operation: joints where it is worked joint by joint, a state where it is not.
import type { Estado, Operacion, Spool } from "@/api/types";

export type Progress = { kind: "joints"; done: number; total: number } | { kind: "state"; estado: Estado };

export function progressOf(spool: Spool, operacion: Operacion): Progress | null {
  if (operacion === "METROLOGIA" || operacion === "REPARACION") return null;
  if (spool.version_workflow === "v3.0") return { kind: "state", estado: operacion === "ARM" ? spool.arm : spool.sold };
  return operacion === "ARM"
    ? { kind: "joints", done: spool.uniones_arm_completadas, total: spool.total_uniones ?? 0 }
    : { kind: "joints", done: spool.uniones_sold_completadas, total: spool.uniones_sold_necesarias };
}

/** Who a label names: `MR(93)` is 93. */
export function idOf(label: string | null): number | null {
  const found = /\((\d+)\)$/.exec(label ?? "");
  return found ? Number(found[1]) : null;
}

/** Inches exact to the thousandth, without zeros that say nothing: 18.5. */
export const inches = (amount: number): string => String(Math.round(amount * 1000) / 1000);
