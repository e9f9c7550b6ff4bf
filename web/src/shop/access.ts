// What a worker can do with the open spool: an action, or else the holder or the reason that prevents it. Pure functions of the card.
import type { Accion, Motivo, Operacion, SpoolCard } from "@/api/types";

export interface SpoolAccess {
  /** What the card's `acciones` allow for this operation, in either workflow. */
  may: "take" | "end" | "inspect" | null;
  /** The worker who holds the spool and so prevents the action. */
  holder: Holder | null;
  /** Another reason that prevents the action; beside `inspect`, the reason that prevents an approval. */
  motivo: Motivo | null;
}

export interface Holder {
  label: string;
  id: number | null;
  operacion: Operacion | null;
  since: string | null;
}

const MAY: readonly [Accion, Exclude<SpoolAccess["may"], null>][] = [
  ["FINALIZAR", "end"],
  ["COMPLETAR", "end"],
  ["INICIAR", "take"],
  ["TOMAR", "take"],
  ["INSPECCIONAR", "inspect"],
];
const CODES_ABOUT_THE_HOLDER = ["SPOOL_OCCUPIED", "NO_AUTORIZADO"];

export function accessOf(card: SpoolCard, worker_id: number, operacion: Operacion): SpoolAccess {
  const offered = card.acciones.filter((offer) => offer.operacion === operacion).map((offer) => offer.accion);
  const may = MAY.find(([accion]) => offered.includes(accion))?.[1] ?? null;
  const motivos = card.motivos.filter(({ code }) => !CODES_ABOUT_THE_HOLDER.includes(code));
  const motivo = motivos.find((reason) => reason.operacion === operacion) ?? null;
  if (may !== null) return { may, holder: null, motivo: may === "inspect" ? motivo : null };
  return { may, holder: otherHolder(card, worker_id, operacion), motivo };
}

/** The worker's own hold prevents nothing, except when it is for another operation. */
function otherHolder(card: SpoolCard, worker_id: number, operacion: Operacion): Holder | null {
  const { ocupado_por: label, ocupado_por_id: id, operacion_actual, fecha_ocupacion } = card;
  if (label === null || (id === worker_id && operacion_actual === operacion)) return null;
  return { label, id, operacion: operacion_actual, since: fecha_ocupacion };
}

/** A key of `why` in the catalogues. */
export type ReasonKey =
  | "no_materials"
  | "not_fitted"
  | "nothing_to_weld"
  | "not_finished"
  | "done"
  | "not_rejected"
  | "to_be_repaired"
  | "blocked"
  | "ndt_pending"
  | "no_role"
  | "inactive"
  | "retired";

const BY_MISSING_STEP: Record<string, ReasonKey> = {
  Fecha_Materiales: "no_materials",
  Armador: "not_fitted",
  ARM: "nothing_to_weld",
  SOLD: "not_finished",
};
const BY_CODE: Record<string, ReasonKey> = {
  OPERACION_YA_COMPLETADA: "done",
  SPOOL_BLOQUEADO: "blocked",
  NDT_PENDIENTE: "ndt_pending",
  ROL_NO_AUTORIZADO: "no_role",
  WORKER_INACTIVO: "inactive",
  SPOOL_NO_ENCONTRADO: "retired", // the card exists, so the spool existed once
};

/** Which sentence of the catalogues explains the reason; null: only the server has a sentence for it. */
export function reasonKeyOf({ code, falta, operacion }: Motivo): ReasonKey | null {
  if (code === "DEPENDENCIAS_NO_SATISFECHAS") return BY_MISSING_STEP[falta ?? ""] ?? null;
  if (code === "OPERACION_NO_DISPONIBLE") return operacion === "REPARACION" ? "not_rejected" : "to_be_repaired";
  return BY_CODE[code] ?? null;
}
