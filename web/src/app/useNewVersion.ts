// Pages stay open for days while the server is updated: they load what is new by themselves, once nobody is in the middle
// of anything. The wall board when nobody has touched it for a while; the floor and the supervisor's page when nobody is here.
import { useEffect, useRef } from "react";

import { useConnection } from "@/live/hooks";
import { whoIsHere } from "@/session/session";
import { taps } from "@/taps/hooks";
import { filesOf, isNewer } from "./newer";

const LOOK_EVERY_MS = 10 * 60_000; // a server that was updated is also noticed by its stream
const TRY_EVERY_MS = 5_000;
const QUIET_MS = 30_000;
/** Two versions behind one address must not make a page reload for ever. */
const APART_MS_MIN = 10 * 60_000;
const BOARD = "/tablero";

/** For the whole application, once. */
export function useNewVersion(): void {
  const live = useConnection() === "live";
  const before = useRef(false);
  const watch = useRef<Watch>(null);
  useEffect(() => {
    const made = new Watch();
    watch.current = made;
    return made.start();
  }, []);
  useEffect(() => {
    if (live && before.current) watch.current?.lookSoon();
    before.current ||= live;
  }, [live]);
}

class Watch {
  private lookedAt = Date.now();
  private touchedAt = Date.now();
  private newer = false;

  start(): () => void {
    const touched = (): void => void (this.touchedAt = Date.now());
    const timer = setInterval(() => void this.turn(), TRY_EVERY_MS);
    addEventListener("pointerdown", touched, { passive: true });
    addEventListener("keydown", touched, { passive: true });
    return () => {
      clearInterval(timer);
      removeEventListener("pointerdown", touched);
      removeEventListener("keydown", touched);
    };
  }

  lookSoon(): void {
    this.lookedAt = 0;
  }

  private async turn(): Promise<void> {
    if (since(this.lookedAt) > LOOK_EVERY_MS) this.newer = await this.look();
    if (!this.newer || !this.quiet() || wasReloadedLately()) return;
    // Once more: a server that went away meanwhile would leave the browser's own error page.
    if (!(await this.look()) || !this.quiet()) return;
    location.reload();
  }

  /** Newer, and all of it is there to be loaded. No answer is no news. */
  private async look(): Promise<boolean> {
    this.lookedAt = Date.now();
    const html = await textOf("/index.html");
    if (html === null || !isNewer(html, loaded())) return false;
    return (await Promise.all(filesOf(html).map(isThere))).every(Boolean);
  }

  private quiet(): boolean {
    if (since(this.touchedAt) < QUIET_MS || document.querySelector("dialog[open]")) return false;
    return location.pathname === BOARD || (whoIsHere() === null && taps.taps().length === 0);
  }
}

/** The browser itself knows how this page was loaded, also where it keeps nothing for us. */
function wasReloadedLately(): boolean {
  const [loading] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return loading?.type === "reload" && performance.now() < APART_MS_MIN;
}

/** However far a clock is put right, it is a while ago. */
const since = (at: number): number => Math.abs(Date.now() - at);

function loaded(): ReadonlySet<string> {
  const elements = document.querySelectorAll("script[src], link[href]");
  return new Set([...elements].map((one) => one.getAttribute("src") ?? one.getAttribute("href") ?? ""));
}

async function textOf(address: string): Promise<string | null> {
  try {
    const response = await fetch(address, { cache: "no-cache" });
    return response.ok ? await response.text() : null;
  } catch {
    return null;
  }
}

const isThere = async (address: string): Promise<boolean> => (await textOf(address)) !== null;
