// What of a spool can be reopened. The card says which operations; its joints say which ticks.
import type { CorregirBody } from "@/api/corregir";
import type { Joint, SpoolCard } from "@/api/types";

export type Reopenable = CorregirBody["operacion"];

const ORDER: readonly Reopenable[] = ["ARM", "SOLD", "METROLOGIA"];

export const reopenable = (card: SpoolCard): Reopenable[] =>
  ORDER.filter((operacion) => card.acciones.some((one) => one.accion === "CORREGIR" && one.operacion === operacion));

/** An inspection is reopened as a whole in both workflows. */
export const byJoint = (card: SpoolCard, operacion: Reopenable): boolean =>
  card.version_workflow === "v4.0" && operacion !== "METROLOGIA";

export const doneJoints = (card: SpoolCard, operacion: Reopenable): Joint[] =>
  card.uniones.filter((joint) => (operacion === "ARM" ? joint.arm_fecha_fin : joint.sol_fecha_fin) !== null);
