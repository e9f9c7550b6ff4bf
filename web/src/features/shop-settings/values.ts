// The shop's settings as the form has them: what is wrong with them, and which of them are changed. Pure.
import type { SettingName, Shift, ShopSettings } from "@/api/ajustes";

export const NAME_CHARS_MAX = 80;
export const SHIFTS_MAX = 12;
export const LIMIT_HOURS_MAX = 8760;
export const NDT_RULES_MAX = 20;
export const NDT_ADDITIONAL_MAX = 5;
/** Empty: a warning once the shop has qualifications. */
export const WELDER_CHECKS = ["", "apagado", "avisar", "exigir"] as const satisfies readonly ShopSettings["calificacion"][];
/** In the order of ISO: Monday is 1. */
export const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;
export type Day = (typeof DAYS)[number];

const NAMES: readonly string[] = [
  "nombre_taller",
  "zona_horaria",
  "tipos_solo_arm",
  "turnos",
  "webhook_conflictos",
  "foto_en_rechazo",
  "google_sheet",
  "limites_atraso",
  "calificacion",
  "ndt_metodos",
  "ndt_defectos",
  "ndt_reglas",
  "ndt_adicionales",
  "ndt_en_ciclo",
  "ndt_bloquea",
] satisfies SettingName[];

/** The history may name a setting that this page does not know. */
export const isSettingName = (name: string): name is SettingName => NAMES.includes(name);

/** What the shop decided about examinations. The lists of methods and defects are changed with `carrete setting set`. */
export type NdtFields = Pick<ShopSettings, "ndt_metodos" | "ndt_reglas" | "ndt_adicionales" | "ndt_en_ciclo" | "ndt_bloquea">;
export type NdtRule = ShopSettings["ndt_reglas"][number];

/** The settings of this form; the others have pages of their own. */
export type ShopFields = NdtFields &
  Pick<ShopSettings, "nombre_taller" | "zona_horaria" | "tipos_solo_arm" | "turnos" | "limites_atraso" | "foto_en_rechazo" | "calificacion">;

/** A key of `shop_settings.wrong` in the catalogues. */
export type WrongField = "zone" | "shift_name" | "shift_days" | "shift_hours" | "same_name" | "limits" | "ndt";

export const fieldsOf = ({
  nombre_taller,
  zona_horaria,
  tipos_solo_arm,
  turnos,
  limites_atraso,
  foto_en_rechazo,
  calificacion,
  ndt_metodos,
  ndt_reglas,
  ndt_adicionales,
  ndt_en_ciclo,
  ndt_bloquea,
}: ShopSettings): ShopFields => ({
  nombre_taller,
  zona_horaria,
  tipos_solo_arm,
  turnos,
  limites_atraso,
  foto_en_rechazo,
  calificacion,
  ndt_metodos,
  ndt_reglas,
  ndt_adicionales,
  ndt_en_ciclo,
  ndt_bloquea,
});

/** `fw, let` are the types FW and LET. */
export const typesOf = (text: string): string[] => [...new Set(text.toUpperCase().split(/[\s,;]+/).filter((type) => type !== ""))];

export const typesText = (types: readonly string[]): string => types.join(", ");

export function isTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

/** `10:42` in that zone. */
export const timeIn = (zone: string, at: number): string =>
  new Intl.DateTimeFormat("en-GB", { timeZone: zone, hour: "2-digit", minute: "2-digit" }).format(at);

/** Ends on the next day. */
export const isOvernight = ({ desde, hasta }: Shift): boolean => desde !== "" && hasta !== "" && hasta < desde;

export function wrongIn(fields: ShopFields): WrongField | null {
  const { zona_horaria, turnos, limites_atraso } = fields;
  if (!isTimeZone(zona_horaria)) return "zone";
  for (const { nombre, dias, desde, hasta } of turnos) {
    if (nombre.trim() === "") return "shift_name";
    if (dias.length === 0) return "shift_days";
    if (desde === "" || hasta === "" || desde === hasta) return "shift_hours";
  }
  const names = turnos.map(({ nombre }) => nombre.trim().toLowerCase());
  if (new Set(names).size < names.length) return "same_name";
  const { ocupado, pausado, inspeccion } = limites_atraso;
  return [...Object.values(ocupado), ...Object.values(pausado), inspeccion].every(isLimit) ? wrongNdt(fields) : "limits";
}

function wrongNdt({ ndt_reglas, ndt_adicionales }: NdtFields): WrongField | null {
  const within = (value: number, low: number, high: number): boolean => Number.isInteger(value) && value >= low && value <= high;
  return ndt_reglas.every(({ porcentaje }) => within(porcentaje, 1, 100)) && within(ndt_adicionales, 0, NDT_ADDITIONAL_MAX) ? null : "ndt";
}

const isLimit = (hours: number): boolean => Number.isInteger(hours) && hours >= 0 && hours <= LIMIT_HOURS_MAX;

/** Only what differs is sent: what somebody else changes meanwhile stays. */
export function changesOf(fields: ShopFields, saved: ShopFields): Partial<ShopFields> {
  const changed = Object.entries(fields).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(saved[name as keyof ShopFields]));
  return Object.fromEntries(changed);
}

/** The first shift is a day's work; the next one begins where the last one ends. */
export function nextShift(turnos: readonly Shift[], nombre: string): Shift {
  const last = turnos.at(-1);
  if (!last) return { nombre, dias: [1, 2, 3, 4, 5], desde: "08:00", hasta: "18:00" };
  return { nombre, dias: [...last.dias], desde: last.hasta, hasta: last.desde };
}

/** Days of the week as runs: 1, 2, 3, 6 are the runs 1 to 3 and 6. */
export function dayRuns(dias: readonly number[]): [number, number][] {
  const runs: [number, number][] = [];
  for (const day of [...dias].sort((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last?.[1] === day - 1) last[1] = day;
    else runs.push([day, day]);
  }
  return runs;
}

