// Reads a screen's data again when the stream reports a change, one read at a time.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";

import { useLive } from "@/live/hooks";

const PAUSE_MS = 400; // after each read

/** Changes that arrive during a read, however many, lead to one more read after it. */
export class Refresher {
  private requested = false;
  private running = false;
  private stopped = true;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly read: () => Promise<void>) {}

  request(): void {
    this.requested = true;
    if (!this.running && !this.stopped) void this.run();
  }

  start(): void {
    this.stopped = false;
    if (this.requested && !this.running) void this.run();
  }

  stop(): void {
    this.stopped = true;
    this.running = false;
    clearTimeout(this.timer);
  }

  private async run(): Promise<void> {
    this.requested = false;
    this.running = true;
    try {
      await this.read();
    } finally {
      if (!this.stopped) this.timer = setTimeout(() => this.afterPause(), PAUSE_MS);
    }
  }

  private afterPause(): void {
    this.running = false;
    if (this.requested) void this.run();
  }
}

/** Reads again, at every event of the stream, all queries whose key begins with `scope`. */
export function useRefreshOnEvents(scope: string): void {
  const cache = useQueryClient();
  const refresher = useMemo(() => new Refresher(() => cache.invalidateQueries({ queryKey: [scope] })), [cache, scope]);
  useLive(
    () => refresher.request(),
    () => refresher.request(),
  );
  useEffect(() => {
    refresher.start();
    return () => refresher.stop();
  }, [refresher]);
}
