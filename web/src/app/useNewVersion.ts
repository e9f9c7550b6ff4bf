// Pages stay open for days while the server is updated: they reload by themselves when a new version is there and nobody is in the
// middle of something. The wall board waits until nobody has touched it for a while; the floor and the supervisor's page until no
// worker uses the tablet.
import { useEffect, useRef } from "react";

import { useConnection } from "@/live/hooks";
import { currentWorker } from "@/session/session";
import { storage } from "@/storage/storage";
import { taps } from "@/taps/hooks";
import type { Tap } from "@/taps/tap";
import { filesNamedIn, isNewerPage } from "./newVersion";

const CHECK_EVERY_MS = 10 * 60_000; // a restart of the server also leads to a check, when the stream comes back
const TICK_MS = 5_000;
const IDLE_MS = 30_000;
/** Two versions behind one address must not make a page reload for ever. */
const BETWEEN_RELOADS_MS_MIN = 10 * 60_000;
const BOARD = "/tablero";

/** For the whole application, once. */
export function useNewVersion(): void {
  const live = useConnection() === "live";
  const wasLive = useRef(false);
  const reloader = useRef<Reloader>(null);
  useEffect(() => {
    const started = new Reloader();
    reloader.current = started;
    return started.start();
  }, []);
  useEffect(() => {
    if (live && wasLive.current) reloader.current?.checkSoon();
    wasLive.current ||= live;
  }, [live]);
}

class Reloader {
  private checkedAt = Date.now();
  private touchedAt = Date.now();
  private newVersion = false;

  start(): () => void {
    const onTouch = (): void => void (this.touchedAt = Date.now());
    const timer = setInterval(() => void this.tick(), TICK_MS);
    addEventListener("pointerdown", onTouch, { passive: true });
    addEventListener("keydown", onTouch, { passive: true });
    return () => {
      clearInterval(timer);
      removeEventListener("pointerdown", onTouch);
      removeEventListener("keydown", onTouch);
    };
  }

  checkSoon(): void {
    this.checkedAt = 0;
  }

  private async tick(): Promise<void> {
    if (msSince(this.checkedAt) > CHECK_EVERY_MS) this.newVersion = await this.check();
    if (!this.newVersion || !this.mayReload() || wasReloadedLately()) return;
    // Checked once more: if the server went away meanwhile, a reload would show the browser's own error page.
    if (!(await this.check()) || !this.mayReload()) return;
    location.reload();
  }

  /** True when there is a new version and all of its files can be loaded; false when the server does not answer. */
  private async check(): Promise<boolean> {
    this.checkedAt = Date.now();
    const html = await textAt("/index.html");
    if (html === null || !isNewerPage(html, loadedFiles())) return false;
    return (await Promise.all(filesNamedIn(html).map(exists))).every(Boolean);
  }

  private mayReload(): boolean {
    if (msSince(this.touchedAt) < IDLE_MS || document.querySelector("dialog[open]")) return false;
    return location.pathname === BOARD || (currentWorker() === null && taps.taps().every(waitsForItsAuthor));
  }
}

/** Such a tap may wait for hours, and is stored. */
const waitsForItsAuthor = (tap: Tap): boolean => tap.waits !== undefined && !storage.isVolatile();

/** The browser knows how this page was loaded, also where it stores nothing for the app. */
function wasReloadedLately(): boolean {
  const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return navigation?.type === "reload" && performance.now() < BETWEEN_RELOADS_MS_MIN;
}

/** A tablet's clock may be set, forwards or backwards: a time in the future counts as long ago too. */
const msSince = (at: number): number => Math.abs(Date.now() - at);

function loadedFiles(): ReadonlySet<string> {
  const elements = document.querySelectorAll("script[src], link[href]");
  return new Set([...elements].map((element) => element.getAttribute("src") ?? element.getAttribute("href") ?? ""));
}

async function textAt(address: string): Promise<string | null> {
  try {
    const response = await fetch(address, { cache: "no-cache" });
    return response.ok ? await response.text() : null;
  } catch {
    return null;
  }
}

const exists = async (address: string): Promise<boolean> => (await textAt(address)) !== null;
