// Figures for charts and tables, out of the server's rows.
import type { CalidadRow } from "@/api/calidad";
import type { PulgadasRow } from "@/api/pulgadas";
import { decimal } from "@/shop/decimal";

export interface Series {
  name: string;
  values: (number | null)[];
}

export const written = (value: number | null, unit: string): string =>
  value === null ? "–" : `${decimal(value)}${unit}`;

/** One value a day; a day without work is 0. */
export function inchesByDay(days: readonly string[], rows: readonly PulgadasRow[]): number[] {
  const known = new Map(rows.map((row) => [row.dia, row.pulgadas]));
  return days.map((day) => known.get(day) ?? 0);
}

/** Per cent a day; null where nothing was inspected for the first time. */
export function yieldByDay(days: readonly string[], rows: readonly CalidadRow[]): (number | null)[] {
  const known = new Map(rows.map((row) => [row.dia, row.rendimiento_a_la_primera]));
  return days.map((day) => percent(known.get(day) ?? null));
}

export const percent = (part: number | null): number | null => (part === null ? null : Math.round(part * 1000) / 10);

/** Null while it is not known: nothing read is not nothing done. */
export const total = (rows: readonly PulgadasRow[] | undefined): number | null =>
  rows ? rows.reduce((sum, row) => sum + row.pulgadas, 0) : null;

/** Who did most first. */
export const byInches = (rows: readonly PulgadasRow[]): PulgadasRow[] =>
  [...rows].sort((a, b) => b.pulgadas - a.pulgadas || (a.worker ?? "").localeCompare(b.worker ?? ""));

/** Who was rejected most first. */
export const byRejections = (rows: readonly CalidadRow[]): CalidadRow[] =>
  [...rows].sort((a, b) => b.rechazos - a.rechazos || b.inspecciones - a.inspecciones);
