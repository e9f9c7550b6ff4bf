// Which joints can be ticked, and what stands beside those that cannot. Pure.
import type { Joint } from "@/api/types";

export type JointState = "open" | "done" | "not_armed" | "arm_only";

/** `available` is the server's word on what can be ticked now. */
export function stateOf(joint: Joint, operacion: "ARM" | "SOLD", available: ReadonlySet<number>): JointState {
  if (available.has(joint.n_union)) return "open";
  if (operacion === "ARM") return joint.arm_fecha_fin === null ? "not_armed" : "done";
  if (joint.sol_fecha_fin !== null) return "done";
  return joint.arm_fecha_fin === null ? "not_armed" : "arm_only";
}

/** For a list that only shows; until the server has said what can be ticked, the joint's own dates tell. */
export function listedState(joint: Joint, operacion: "ARM" | "SOLD", available?: ReadonlySet<number>): JointState {
  if (operacion === "ARM") return joint.arm_fecha_fin === null ? "open" : "done";
  if (available) return stateOf(joint, operacion, available);
  if (joint.sol_fecha_fin !== null) return "done";
  return joint.arm_fecha_fin === null ? "not_armed" : "open";
}

export const inchesOf = (joints: readonly Joint[], chosen: ReadonlySet<number>): number =>
  joints.filter((joint) => chosen.has(joint.n_union)).reduce((sum, joint) => sum + (joint.dn_union ?? 0), 0);

/** Ticks that still can be: a joint may have been done elsewhere meanwhile. */
export const stillOpen = (chosen: ReadonlySet<number>, available: ReadonlySet<number>): Set<number> =>
  new Set([...chosen].filter((n) => available.has(n)));
