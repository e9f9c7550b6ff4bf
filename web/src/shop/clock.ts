// The shop's time: the server's clock and its offset, whatever this screen believes about either. Ticks without asking.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";

import { getHealth } from "@/api/health";
import { useLive } from "@/live/hooks";

const MINUTE_MS = 60_000;
const TICK_MS = 1_000;
const ASK_EVERY_MS = 10 * MINUTE_MS;

/** A minute of the shop: changes once a minute, or when the offset does. */
export interface ShopMinute {
  /** The instant, epoch ms. */
  readonly at: number;
  /** What the shop's clocks are ahead of UTC. */
  readonly offsetMin: number;
}

let aheadMs = 0; // of this machine's clock
let offsetMin = -new Date().getTimezoneOffset(); // until the server has said otherwise
let minute: ShopMinute = thisMinute();
let timer: ReturnType<typeof setInterval> | undefined;
const watchers = new Set<() => void>();

/** What the shop's clock showed when this machine's showed `at`. */
export const shopTimeAt = (at: number): ShopMinute => ({ at: at + aheadMs, offsetMin });

/** The server said what time it was when this machine's clock showed `at`. */
export function heard(now: string, at: number): void {
  aheadMs = Date.parse(now) - at;
  offsetMin = offsetOf(now);
  tick();
}

/** Minutes ahead of UTC, from an ISO 8601 time. */
export function offsetOf(iso: string): number {
  const found = /([+-])(\d\d):(\d\d)$/.exec(iso);
  if (!found) return 0;
  const minutes = Number(found[2]) * 60 + Number(found[3]);
  return found[1] === "-" ? -minutes : minutes;
}

/** The shop's wall clock as if it were UTC: what the getUTC… methods and Intl with UTC then tell is what hangs on its wall. */
export const wall = ({ at, offsetMin: offset }: ShopMinute): Date => new Date(at + offset * MINUTE_MS);

/** The day of the shop, `2026-11-15`. */
export const dayOf = (now: ShopMinute): string => wall(now).toISOString().slice(0, 10);

export const timeOf = (now: ShopMinute): string => wall(now).toISOString().slice(11, 16);

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

/** For the screens that read nothing which tells the time. Asked again when the stream begins anew: the tablet may have slept. */
export function useShopClock(): void {
  const { data, dataUpdatedAt, refetch } = useQuery({
    queryKey: ["clock"],
    queryFn: ({ signal }) => getHealth(signal),
    refetchInterval: ASK_EVERY_MS,
    staleTime: 0,
  });
  useClockOf(data?.now, dataUpdatedAt);
  useLive(
    () => undefined,
    () => void refetch({ cancelRefetch: false }),
  );
}

/** Sets the clock by what the server said, and when. */
export function useClockOf(now: string | undefined, at: number): void {
  useEffect(() => {
    if (now) heard(now, at);
  }, [now, at]);
}

export const useShopMinute = (): ShopMinute => useSyncExternalStore(watch, () => minute);

function thisMinute(): ShopMinute {
  return { at: Math.floor((Date.now() + aheadMs) / MINUTE_MS) * MINUTE_MS, offsetMin };
}

function tick(): void {
  const now = thisMinute();
  if (now.at === minute.at && now.offsetMin === minute.offsetMin) return;
  minute = now;
  for (const watcher of watchers) watcher();
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  tick();
  timer ??= setInterval(tick, TICK_MS);
  return () => {
    watchers.delete(watcher);
    if (watchers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
