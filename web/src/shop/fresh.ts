// Keeps what a screen has read true: read anew when the stream says something changed, one read at a time.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";

import { useConnection, useLive } from "@/live/hooks";

const REST_MS = 400;
const POLL_MS = 3_000; // while there is no stream
const CHECK_MS = 60_000; // while there is one: nobody should trust anything for ever

/** However many changes arrive meanwhile, the next read begins after them. */
export class Refresher {
  private wanted = false;
  private running = false;
  private stopped = true;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly read: () => Promise<void>) {}

  ask(): void {
    this.wanted = true;
    if (!this.running && !this.stopped) void this.run();
  }

  start(): void {
    this.stopped = false;
    if (this.wanted && !this.running) void this.run();
  }

  stop(): void {
    this.stopped = true;
    this.running = false;
    clearTimeout(this.timer);
  }

  private async run(): Promise<void> {
    this.wanted = false;
    this.running = true;
    try {
      await this.read();
    } finally {
      if (!this.stopped) this.timer = setTimeout(() => this.rested(), REST_MS);
    }
  }

  private rested(): void {
    this.running = false;
    if (this.wanted) void this.run();
  }
}

/** Everything read under this first part of a query's key follows the shop. Gives the means to ask for it. */
export function useFreshReads(scope: string): () => void {
  const cache = useQueryClient();
  const refresher = useMemo(() => new Refresher(() => cache.invalidateQueries({ queryKey: [scope] })), [cache, scope]);
  useLive(
    () => refresher.ask(),
    () => refresher.ask(),
  );
  useEffect(() => {
    refresher.start();
    return () => refresher.stop();
  }, [refresher]);
  return () => refresher.ask();
}

/** For `refetchInterval`. */
export const useRhythm = (): number => (useConnection() === "live" ? CHECK_MS : POLL_MS);
