// Which joints can be ticked, and the state of those that cannot. Pure functions.
import type { Joint } from "@/api/types";

export type JointState = "open" | "done" | "not_armed" | "arm_only";

/** `available`: the joints that, by the server, can be ticked now. */
export function jointState(joint: Joint, operacion: "ARM" | "SOLD", available: ReadonlySet<number>): JointState {
  if (available.has(joint.n_union)) return "open";
  if (operacion === "ARM") return joint.arm_fecha_fin === null ? "not_armed" : "done";
  if (joint.sol_fecha_fin !== null) return "done";
  return joint.arm_fecha_fin === null ? "not_armed" : "arm_only";
}

/** For a list without ticks; until the available joints are read, the joint's own dates decide. */
export function listedJointState(joint: Joint, operacion: "ARM" | "SOLD", available?: ReadonlySet<number>): JointState {
  if (operacion === "ARM") return joint.arm_fecha_fin === null ? "open" : "done";
  if (available) return jointState(joint, operacion, available);
  if (joint.sol_fecha_fin !== null) return "done";
  return joint.arm_fecha_fin === null ? "not_armed" : "open";
}

export const inchesOf = (joints: readonly Joint[], chosen: ReadonlySet<number>): number =>
  joints.filter((joint) => chosen.has(joint.n_union)).reduce((sum, joint) => sum + (joint.dn_union ?? 0), 0);

/** The ticks that are still possible: a joint may have been done on another tablet meanwhile. */
export const stillOpen = (chosen: ReadonlySet<number>, available: ReadonlySet<number>): Set<number> =>
  new Set([...chosen].filter((n) => available.has(n)));
