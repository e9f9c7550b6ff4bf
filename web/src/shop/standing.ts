// What a worker finds on a spool's screen: something to do, somebody who has it, a reason. Pure: the card tells.
import type { Accion, Motivo, Operacion, SpoolCard } from "@/api/types";

export interface Standing {
  /** What the card's `acciones` allow for this operation; in either workflow. */
  may: "take" | "end" | "inspect" | null;
  /** Who is in the way. */
  holder: Holder | null;
  /** What else is in the way. */
  motivo: Motivo | null;
}

export interface Holder {
  label: string;
  id: number | null;
  operacion: Operacion | null;
  since: string | null;
}

const MAY: readonly [Accion, Exclude<Standing["may"], null>][] = [
  ["FINALIZAR", "end"],
  ["COMPLETAR", "end"],
  ["INICIAR", "take"],
  ["TOMAR", "take"],
  ["INSPECCIONAR", "inspect"],
];
const ABOUT_THE_HOLDER = ["SPOOL_OCCUPIED", "NO_AUTORIZADO"];

export function standingOf(card: SpoolCard, worker_id: number, operacion: Operacion): Standing {
  const offered = card.acciones.filter((one) => one.operacion === operacion).map((one) => one.accion);
  const may = MAY.find(([accion]) => offered.includes(accion))?.[1] ?? null;
  if (may !== null) return { may, holder: null, motivo: null };
  const motivo = card.motivos.find((one) => one.operacion === operacion && !ABOUT_THE_HOLDER.includes(one.code)) ?? null;
  return { may, holder: holderOf(card, worker_id, operacion), motivo };
}

/** A worker is not in their own way, except for another operation. */
function holderOf(card: SpoolCard, worker_id: number, operacion: Operacion): Holder | null {
  const { ocupado_por: label, ocupado_por_id: id, operacion_actual, fecha_ocupacion } = card;
  if (label === null || (id === worker_id && operacion_actual === operacion)) return null;
  return { label, id, operacion: operacion_actual, since: fecha_ocupacion };
}

export type Why =
  | "no_materials"
  | "not_fitted"
  | "nothing_to_weld"
  | "not_finished"
  | "done"
  | "not_rejected"
  | "to_be_repaired"
  | "blocked"
  | "no_role"
  | "inactive"
  | "retired";

const MISSING: Record<string, Why> = {
  Fecha_Materiales: "no_materials",
  Armador: "not_fitted",
  ARM: "nothing_to_weld",
  SOLD: "not_finished",
};
const BY_CODE: Record<string, Why> = {
  OPERACION_YA_COMPLETADA: "done",
  SPOOL_BLOQUEADO: "blocked",
  ROL_NO_AUTORIZADO: "no_role",
  WORKER_INACTIVO: "inactive",
  SPOOL_NO_ENCONTRADO: "retired", // its card is there, so it was there once
};

/** Which sentence of the catalogues tells it; null: only the server has words for it. */
export function whyOf({ code, falta, operacion }: Motivo): Why | null {
  if (code === "DEPENDENCIAS_NO_SATISFECHAS") return MISSING[falta ?? ""] ?? null;
  if (code === "OPERACION_NO_DISPONIBLE") return operacion === "REPARACION" ? "not_rejected" : "to_be_repaired";
  return BY_CODE[code] ?? null;
}
