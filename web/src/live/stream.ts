// One live stream per page: follows the shop's events, resumes where it broke, and says how the connection is.
// A tab that nobody sees rests: a browser has six connections for one server, and six open tabs would leave none to tap with.
import { server, type StreamState } from "@/api/server-state";
import type { SpoolUpdate } from "@/api/types";
import { EventParser, type ServerEvent } from "./parse";

/** Whether the stream is open. What people are told about the server is `useServerState`. */
export type Connection = StreamState;

export interface Listener {
  /** Something happened to a spool. */
  onUpdate(update: SpoolUpdate): void;
  /** The stream begins here: whatever was read before may have missed something. */
  onBegin(): void;
}

const PATH = "/api/sse/stream";
const SILENCE_MS_MAX = 40_000; // longer than two heartbeats: the Wi-Fi died without saying so
const BEAT_MS_MAX = 20_000; // a little more than a heartbeat
const RETRY_MS_MIN = 500;
const RETRY_MS_MAX = 8_000;

export class LiveStream {
  private listeners = new Set<Listener>();
  private watchers = new Set<() => void>();
  private lastId = "";
  private failures = 0;
  private awake = 0; // screens that never rest
  private heardAt = 0; // epoch ms
  private running: AbortController | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  connection: Connection = "connecting";

  start(): void {
    const again = (): void => this.retryNow();
    globalThis.addEventListener("online", again);
    globalThis.addEventListener("pageshow", again);
    document.addEventListener("visibilitychange", () => (this.mayRest() ? this.rest() : again()));
    void this.follow();
  }

  /** For a screen that is true at any moment, whatever the browser thinks of who sees it. Gives the means to end that. */
  stayAwake(): () => void {
    this.awake += 1;
    this.retryNow();
    return () => {
      this.awake -= 1;
      if (this.mayRest()) this.rest();
    };
  }

  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** For useSyncExternalStore. */
  readonly watch = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  };

  /** Also for a tablet that wakes up: timers slept with it, and what it holds may be a connection that died meanwhile. */
  private retryNow(): void {
    if (this.connection === "connecting" && this.running) return; // one attempt at a time
    if (this.connection === "live" && Math.abs(Date.now() - this.heardAt) < BEAT_MS_MAX) return;
    this.failures = 0;
    clearTimeout(this.timer);
    void this.follow();
  }

  private mayRest(): boolean {
    return document.visibilityState === "hidden" && this.awake === 0;
  }

  private rest(): void {
    clearTimeout(this.timer);
    this.running?.abort();
    this.running = null;
    this.say("connecting");
  }

  private async follow(): Promise<void> {
    if (this.mayRest()) return;
    this.running?.abort();
    const run = new AbortController();
    this.running = run;
    try {
      await this.read(run);
    } catch {
      // Whatever ended it, the answer is the same: wait a little and ask for what was missed.
    }
    if (this.running !== run) return; // a newer attempt took over
    this.say("offline");
    server.failed();
    this.timer = setTimeout(() => void this.follow(), this.pause());
  }

  private async read(run: AbortController): Promise<void> {
    const headers: Record<string, string> = { Accept: "text/event-stream" };
    if (this.lastId) headers["Last-Event-ID"] = this.lastId;
    let watchdog = setTimeout(() => run.abort(), SILENCE_MS_MAX);
    try {
      const response = await fetch(PATH, { headers, cache: "no-store", signal: run.signal });
      if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`);
      this.failures = 0;
      this.heardAt = Date.now();
      server.answered();
      this.say("live");
      const parser = new EventParser();
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        this.heardAt = Date.now();
        server.answered();
        clearTimeout(watchdog);
        watchdog = setTimeout(() => run.abort(), SILENCE_MS_MAX);
        for (const event of parser.feed(value)) this.deliver(event);
      }
    } finally {
      clearTimeout(watchdog);
    }
  }

  private deliver(event: ServerEvent): void {
    if (event.id) this.lastId = event.id;
    if (event.data === "") for (const listener of this.listeners) listener.onBegin();
    if (event.event !== "spool_update" || event.data === "") return;
    const update = JSON.parse(event.data) as SpoolUpdate;
    for (const listener of this.listeners) listener.onUpdate(update);
  }

  private say(connection: Connection): void {
    if (connection === this.connection) return;
    this.connection = connection;
    server.streamIs(connection);
    for (const watcher of this.watchers) watcher();
  }

  /** Doubles up to a bound; jitter keeps fifty tablets from knocking at the same moment. */
  private pause(): number {
    const whole = Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** this.failures);
    this.failures = Math.min(this.failures + 1, 10);
    return whole * (0.5 + Math.random() / 2);
  }
}

export const stream = new LiveStream();
