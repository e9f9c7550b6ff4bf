// The period of the figures, in days of the shop. Both ends are included.
import { daysAfter } from "@/shop/clock";

export interface Period {
  desde: string;
  hasta: string;
}

export const SPANS = ["today", "week", "month", "custom"] as const;
export type Span = (typeof SPANS)[number];

const DAYS_BACK = { today: 0, week: 6, month: 29 } as const;
/** The server refuses a longer period. */
const DAYS_MAX = 3 * 366;

export const periodOf = (span: Exclude<Span, "custom">, today: string): Period => ({
  desde: daysAfter(today, -DAYS_BACK[span]),
  hasta: today,
});

const DAY = /^\d{4}-\d\d-\d\d$/;

export function isPeriod({ desde, hasta }: Period): boolean {
  return DAY.test(desde) && DAY.test(hasta) && desde <= hasta && daysAfter(desde, DAYS_MAX) > hasta;
}

export function daysOf({ desde, hasta }: Period): string[] {
  const days: string[] = [];
  for (let day = desde; day <= hasta && days.length < DAYS_MAX; day = daysAfter(day, 1)) days.push(day);
  return days;
}
