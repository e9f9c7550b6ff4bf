// The shop's time, taken from the server: the clock and the time zone of the tablet may both be wrong. Between two answers of the
// server it goes on with the tablet's own clock.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";

import { getHealth } from "@/api/health";
import { useLive } from "@/live/hooks";

const MINUTE_MS = 60_000;
const TICK_MS = 1_000;
const READ_EVERY_MS = 10 * MINUTE_MS;

/** The present minute in the shop. */
export interface ShopMinute {
  /** The instant, epoch ms. */
  readonly at: number;
  /** How many minutes the shop's time is ahead of UTC. */
  readonly offsetMin: number;
}

let aheadMs = 0; // how far the server's clock is ahead of the tablet's
let offsetMin = -new Date().getTimezoneOffset(); // until the server has sent its own
let minute: ShopMinute = thisMinute();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

/** The shop's time when the tablet's clock showed `at`, epoch ms. */
export const shopTimeAt = (at: number): ShopMinute => ({ at: at + aheadMs, offsetMin });

/** `now` is the time that the server sent when the tablet's clock showed `at`, epoch ms. */
export function setShopClock(now: string, at: number): void {
  aheadMs = Date.parse(now) - at;
  offsetMin = offsetOf(now);
  tick();
}

/** Minutes ahead of UTC, from an ISO 8601 time. */
export function offsetOf(iso: string): number {
  const match = /([+-])(\d\d):(\d\d)$/.exec(iso);
  if (!match) return 0;
  const minutes = Number(match[2]) * 60 + Number(match[3]);
  return match[1] === "-" ? -minutes : minutes;
}

/** The shop's local time as if it were UTC: the getUTC… methods, and Intl with UTC, give the shop's day and hour. */
export const shopTimeAsUtc = ({ at, offsetMin: offset }: ShopMinute): Date => new Date(at + offset * MINUTE_MS);

/** The day of the shop, `2026-11-15`. */
export const dayOf = (now: ShopMinute): string => shopTimeAsUtc(now).toISOString().slice(0, 10);

export const timeOf = (now: ShopMinute): string => shopTimeAsUtc(now).toISOString().slice(11, 16);

/** An instant of the tablet's clock, epoch ms, as the API writes times: ISO 8601 with the shop's offset. */
export function isoInShop(at: number): string {
  const time = shopTimeAt(at);
  const minutes = Math.abs(time.offsetMin);
  const two = (n: number): string => String(n).padStart(2, "0");
  const offset = `${time.offsetMin < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
  return shopTimeAsUtc(time).toISOString().slice(0, 19) + offset;
}

/** Some days later, or earlier when negative. */
export function daysAfter(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 24 * 60 * MINUTE_MS).toISOString().slice(0, 10);
}

/** An ISO time as the shop writes it: `10:42` today, `14-11 10:42` on another day. The API's offset is the shop's. */
export function clockText(iso: string, today: string): string {
  const [day = "", time = ""] = iso.split("T");
  return day === today ? time.slice(0, 5) : `${dayText(day).slice(0, 5)} ${time.slice(0, 5)}`;
}

/** `2026-11-15` as `15-11-2026`. */
export const dayText = (day: string): string => day.split("-").reverse().join("-");

/** An ISO time with its year: `15-11-2026 10:42`. */
export const timestampText = (iso: string): string => `${dayText(iso.slice(0, 10))} ${iso.slice(11, 16)}`;

/** For screens whose reads do not bring the time. Reads it again when the stream starts: the tablet may have slept. */
export function useShopClock(): void {
  const { data, dataUpdatedAt, refetch } = useQuery({
    queryKey: ["clock"],
    queryFn: ({ signal }) => getHealth(signal),
    refetchInterval: READ_EVERY_MS,
    staleTime: 0,
  });
  useSetShopClock(data?.now, dataUpdatedAt);
  useLive(
    () => undefined,
    () => void refetch({ cancelRefetch: false }),
  );
}

/** Sets the shop's clock from an answer of the server that arrived at `at`, epoch ms of the tablet. */
export function useSetShopClock(now: string | undefined, at: number): void {
  useEffect(() => {
    if (now) setShopClock(now, at);
  }, [now, at]);
}

export const useShopMinute = (): ShopMinute => useSyncExternalStore(subscribe, () => minute);

function thisMinute(): ShopMinute {
  return { at: Math.floor((Date.now() + aheadMs) / MINUTE_MS) * MINUTE_MS, offsetMin };
}

function tick(): void {
  const now = thisMinute();
  if (now.at === minute.at && now.offsetMin === minute.offsetMin) return;
  minute = now;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  tick();
  timer ??= setInterval(tick, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
