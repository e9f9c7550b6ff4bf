// How long a worker has held a spool, and from when on that is long. Nothing is released by itself: this only draws attention.
import type { ShopMinute } from "./clock";

/** A stretch of work lasts five to eight hours. */
export const LONG_MIN = 5 * 60;
export const OVER_MIN = 8 * 60;

const MINUTE_MS = 60_000;

export type AgeLevel = "fresh" | "long" | "over";

export interface Age {
  level: AgeLevel;
  minutes: number;
  /** Which sentence of `age` in the catalogues to use; the fields below fill it in. */
  words: "minutes" | "hours" | "days";
  d: number;
  h: number;
  m: number;
  mm: string;
}

/** The difference of two times as the screen shows them: both without their seconds. */
export function ageOf(since: string, now: ShopMinute): Age {
  const minutes = Math.max(0, Math.floor(now.at / MINUTE_MS) - Math.floor(Date.parse(since) / MINUTE_MS));
  const d = Math.floor(minutes / 1440);
  const words = d > 0 ? "days" : minutes >= 60 ? "hours" : "minutes";
  const m = minutes % 60;
  const h = Math.floor((minutes % 1440) / 60);
  return { level: levelOf(minutes), minutes, words, d, h, m, mm: String(m).padStart(2, "0") };
}

export const levelOf = (minutes: number): AgeLevel =>
  minutes >= OVER_MIN ? "over" : minutes >= LONG_MIN ? "long" : "fresh";
