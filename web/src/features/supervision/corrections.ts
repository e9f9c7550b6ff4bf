// What a supervisor can reopen on a spool: the card says which operations, its joints say which are done.
import type { CorregirBody } from "@/api/corregir";
import type { Joint, SpoolCard } from "@/api/types";

export type Reopenable = CorregirBody["operacion"];

const ORDER: readonly Reopenable[] = ["ARM", "SOLD", "METROLOGIA"];

export const reopenable = (card: SpoolCard): Reopenable[] =>
  ORDER.filter((operacion) => card.acciones.some((offer) => offer.accion === "CORREGIR" && offer.operacion === operacion));

/** An inspection is reopened as a whole in both workflows. */
export const byJoint = (card: SpoolCard, operacion: Reopenable): boolean =>
  card.version_workflow === "v4.0" && operacion !== "METROLOGIA";

export const doneJoints = (card: SpoolCard, operacion: Reopenable): Joint[] =>
  card.uniones.filter((joint) => (operacion === "ARM" ? joint.arm_fecha_fin : joint.sol_fecha_fin) !== null);
