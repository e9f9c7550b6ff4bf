// Makes the figures of charts and tables from the server's rows.
import type { CalidadRow } from "@/api/calidad";
import type { PulgadasRow } from "@/api/pulgadas";
import { decimal } from "@/shop/decimal";

export interface Series {
  name: string;
  values: (number | null)[];
}

export const valueText = (value: number | null, unit: string): string =>
  value === null ? "–" : `${decimal(value)}${unit}`;

/** One value per day; a day without work is 0. */
export function inchesByDay(days: readonly string[], rows: readonly PulgadasRow[]): number[] {
  const byDay = new Map(rows.map((row) => [row.dia, row.pulgadas]));
  return days.map((day) => byDay.get(day) ?? 0);
}

/** Per cent per day; null where nothing was inspected for the first time. */
export function yieldByDay(days: readonly string[], rows: readonly CalidadRow[]): (number | null)[] {
  const byDay = new Map(rows.map((row) => [row.dia, row.rendimiento_a_la_primera]));
  return days.map((day) => percent(byDay.get(day) ?? null));
}

export const percent = (part: number | null): number | null => (part === null ? null : Math.round(part * 1000) / 10);

/** Null until the rows are read. */
export const total = (rows: readonly PulgadasRow[] | undefined): number | null =>
  rows ? rows.reduce((sum, row) => sum + row.pulgadas, 0) : null;

/** The worker with most inches first. */
export const byInches = (rows: readonly PulgadasRow[]): PulgadasRow[] =>
  [...rows].sort((a, b) => b.pulgadas - a.pulgadas || (a.worker ?? "").localeCompare(b.worker ?? ""));

/** The worker with most rejections first. */
export const byRejections = (rows: readonly CalidadRow[]): CalidadRow[] =>
  [...rows].sort((a, b) => b.rechazos - a.rechazos || b.inspecciones - a.inspecciones);
