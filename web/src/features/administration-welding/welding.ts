// Procedures and qualifications as the administrator's page shows and edits them. Pure.
import type { Person } from "@/api/personas";
import type { Procedure, Qualification } from "@/api/soldadura";
import { daysAfter } from "@/shop/clock";
import { foldText } from "@/shop/merge";

export const SCOPE_FIELDS = ["p_numeros", "f_numero", "espesor_min", "espesor_max", "dn_min", "dn_max", "posiciones"] as const;
export const PROCEDURE_FIELDS = ["wps", "procesos", "revision", ...SCOPE_FIELDS, "vigente_desde", "vigente_hasta"] as const;
export const QUALIFICATION_FIELDS = ["proceso", "documento", ...SCOPE_FIELDS, "fecha", "vence", "ultimo_uso"] as const;

export type ScopeField = (typeof SCOPE_FIELDS)[number];
export type Scope = Pick<Procedure, ScopeField>;
/** As it is sent; `worker_id` is 0 until somebody is chosen. */
export type QualificationDraft = Omit<Qualification, "worker" | "vigente_hasta">;
export type Which = "active" | "retired";
export type ProcedureState = "retired" | "future" | "ended" | "valid";
export type QualificationState = "retired" | "ended" | "soon" | "valid";

/** As many days ahead as the server warns. */
const SOON_DAYS = 30;
const EMPTY_SCOPE: Scope = { p_numeros: "", f_numero: "", espesor_min: "", espesor_max: "", dn_min: "", dn_max: "", posiciones: "" };

export const NEW_PROCEDURE: Procedure = {
  ...EMPTY_SCOPE,
  wps: "",
  procesos: "",
  revision: "",
  vigente_desde: "",
  vigente_hasta: "",
  activo: true,
};

export const NEW_QUALIFICATION: QualificationDraft = {
  ...EMPTY_SCOPE,
  worker_id: 0,
  proceso: "",
  documento: "",
  fecha: "",
  vence: "",
  ultimo_uso: "",
  activo: true,
};

/** Without what the server calculates. */
export function draftOf(qualification: Qualification): QualificationDraft {
  const draft: QualificationDraft & Partial<Qualification> = { ...qualification };
  delete draft.worker;
  delete draft.vigente_hasta;
  return draft;
}

export const keyOfQualification = ({ worker_id, proceso, documento }: QualificationDraft): string =>
  JSON.stringify([worker_id, proceso.trim().toUpperCase(), documento.trim()]);

/** Saving would replace the one that is there. */
export const isKnownProcedure = (procedures: readonly Procedure[], number: string): boolean =>
  procedures.some(({ wps }) => wps === number.trim());

export const isKnownQualification = (qualifications: readonly Qualification[], draft: QualificationDraft): boolean =>
  qualifications.some((one) => keyOfQualification(one) === keyOfQualification(draft));

export function procedureState({ activo, vigente_desde, vigente_hasta }: Procedure, today: string): ProcedureState {
  if (!activo) return "retired";
  if (vigente_hasta !== "" && vigente_hasta < today) return "ended";
  return vigente_desde > today ? "future" : "valid";
}

export function qualificationState({ activo, vigente_hasta }: Qualification, today: string): QualificationState {
  if (!activo) return "retired";
  if (vigente_hasta < today) return "ended";
  return vigente_hasta <= daysAfter(today, SOON_DAYS) ? "soon" : "valid";
}

/** `1.5–8 mm`, `≥ 1.5 mm`, `≤ 8 mm`, or nothing where nothing is limited. */
export function rangeText(least: string, greatest: string, unit: string): string {
  if (least === "" && greatest === "") return "";
  if (greatest === "") return `≥ ${least}${unit}`;
  return least === "" ? `≤ ${greatest}${unit}` : `${least}–${greatest}${unit}`;
}

export const countIn = (records: readonly { activo: boolean }[], which: Which): number =>
  records.filter(({ activo }) => activo === (which === "active")).length;

/** By number. Text that is typed finds them whatever group is chosen. */
export function findProcedures(procedures: readonly Procedure[], which: Which, typed: string): Procedure[] {
  const textOf = ({ wps, procesos, revision, posiciones }: Procedure): string => `${wps} ${procesos} ${revision} ${posiciones}`;
  return found(procedures, which, typed, textOf).sort((a, b) => byText.compare(a.wps, b.wps));
}

/** By person; `nameOf` is the whole name of somebody. */
export function findQualifications(
  qualifications: readonly Qualification[],
  which: Which,
  typed: string,
  nameOf: (one: Qualification) => string,
): Qualification[] {
  const textOf = (one: Qualification): string => `${nameOf(one)} ${one.worker} ${one.proceso} ${one.documento}`;
  const keyOf = (one: Qualification): string => `${nameOf(one)}\n${one.proceso}\n${one.documento}`;
  return found(qualifications, which, typed, textOf).sort((a, b) => byText.compare(keyOf(a), keyOf(b)));
}

const byText = new Intl.Collator("es", { numeric: true });

function found<T extends { activo: boolean }>(records: readonly T[], which: Which, typed: string, textOf: (record: T) => string): T[] {
  const parts = foldText(typed).split(/\s+/).filter(Boolean);
  if (parts.length === 0) return records.filter(({ activo }) => activo === (which === "active"));
  return records.filter((record) => parts.every((part) => foldText(textOf(record)).includes(part)));
}

/** Everybody who works here, those who weld first. */
export function weldersFirst(people: readonly Person[]): Person[] {
  const rank = ({ roles }: Person): number => (roles.includes("Soldador") ? 0 : 1);
  const nameOf = ({ nombre, apellido }: Person): string => `${nombre} ${apellido}`;
  return people.filter(({ activo }) => activo).sort((a, b) => rank(a) - rank(b) || byText.compare(nameOf(a), nameOf(b)));
}
