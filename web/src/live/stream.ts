// The live stream of this page: receives the shop's events, resumes after the last one when the connection breaks, and knows
// the state of the connection. A hidden tab closes its stream: a browser has six connections per server, and six open tabs
// would leave none for a tap.
import { reportRefusal } from "@/api/identity-refusals";
import { server, type StreamState } from "@/api/server-state";
import type { Problem, SpoolUpdate } from "@/api/types";
import { EventParser, type ServerEvent } from "./parse";

/** Whether the stream is open. Screens show `useServerState` instead. */
export type Connection = StreamState;

export interface Listener {
  /** A spool changed. */
  onUpdate(update: SpoolUpdate): void;
  /** The stream starts here: lists that were read before may lack a change. */
  onStart(): void;
}

const PATH = "/api/sse/stream";
const SILENCE_MS_MAX = 40_000; // longer than two heartbeats: the connection is dead although nothing closed it
const BEAT_MS_MAX = 20_000; // a little more than a heartbeat
const RETRY_MS_MIN = 500;
const RETRY_MS_MAX = 8_000;
const NOT_ENROLLED_RETRY_MS = 60_000; // only a person ends that

export class LiveStream {
  private listeners = new Set<Listener>();
  private connectionListeners = new Set<() => void>();
  private lastId = "";
  private failures = 0;
  private notEnrolled = false;
  private keptOpenBy = 0; // screens that need the stream also while hidden
  private lastDataAt = 0; // epoch ms
  private running: AbortController | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  connection: Connection = "connecting";

  start(): void {
    const reconnect = (): void => this.reconnectNow();
    globalThis.addEventListener("online", reconnect);
    globalThis.addEventListener("pageshow", reconnect);
    document.addEventListener("visibilitychange", () => (this.mayClose() ? this.close() : reconnect()));
    void this.run();
  }

  /** For a screen that must be right at any moment, hidden or not. Returns the function that ends this. */
  keepOpen(): () => void {
    this.keptOpenBy += 1;
    this.reconnectNow();
    return () => {
      this.keptOpenBy -= 1;
      if (this.mayClose()) this.close();
    };
  }

  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** For useSyncExternalStore. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.connectionListeners.add(listener);
    return () => this.connectionListeners.delete(listener);
  };

  /** Also for a tablet that wakes up: its timers stood still, and its connection may have died meanwhile. */
  private reconnectNow(): void {
    if (this.connection === "connecting" && this.running) return; // one attempt at a time
    if (this.connection === "live" && Math.abs(Date.now() - this.lastDataAt) < BEAT_MS_MAX) return;
    this.failures = 0;
    clearTimeout(this.timer);
    void this.run();
  }

  /** The server says that this device is enrolled: if it had said otherwise, the stream need not wait. */
  enrolled(): void {
    if (this.notEnrolled) this.reconnectNow();
  }

  private mayClose(): boolean {
    return document.visibilityState === "hidden" && this.keptOpenBy === 0;
  }

  private close(): void {
    clearTimeout(this.timer);
    this.running?.abort();
    this.running = null;
    this.setConnection("connecting");
  }

  private async run(): Promise<void> {
    if (this.mayClose()) return;
    this.running?.abort();
    const attempt = new AbortController();
    this.running = attempt;
    try {
      await this.read(attempt);
    } catch {
      // Every failure is treated alike: wait a little, then resume after the last event.
    }
    if (this.running !== attempt) return; // a newer attempt took over
    this.setConnection("offline");
    server.failed();
    this.timer = setTimeout(() => void this.run(), this.nextRetryMs());
  }

  private async read(attempt: AbortController): Promise<void> {
    const headers: Record<string, string> = { Accept: "text/event-stream" };
    if (this.lastId) headers["Last-Event-ID"] = this.lastId;
    let watchdog = setTimeout(() => attempt.abort(), SILENCE_MS_MAX);
    try {
      const response = await fetch(PATH, { headers, cache: "no-store", signal: attempt.signal });
      if (response.status === 401) this.onRefusal((await response.json()) as Problem);
      if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`);
      this.failures = 0;
      this.notEnrolled = false;
      this.lastDataAt = Date.now();
      server.answered();
      this.setConnection("live");
      const parser = new EventParser();
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        this.lastDataAt = Date.now();
        server.answered();
        clearTimeout(watchdog);
        watchdog = setTimeout(() => attempt.abort(), SILENCE_MS_MAX);
        for (const event of parser.feed(value)) this.deliver(event);
      }
    } finally {
      clearTimeout(watchdog);
    }
  }

  private onRefusal(problem: Problem): void {
    this.notEnrolled = problem.code === "DISPOSITIVO_NO_INSCRITO";
    reportRefusal(problem);
  }

  private deliver(event: ServerEvent): void {
    if (event.id) this.lastId = event.id;
    if (event.data === "") for (const listener of this.listeners) listener.onStart();
    if (event.event !== "spool_update" || event.data === "") return;
    const update = JSON.parse(event.data) as SpoolUpdate;
    for (const listener of this.listeners) listener.onUpdate(update);
  }

  private setConnection(connection: Connection): void {
    if (connection === this.connection) return;
    this.connection = connection;
    server.streamIs(connection);
    for (const listener of this.connectionListeners) listener();
  }

  /** Doubles up to a bound; the random part keeps fifty tablets from reconnecting at the same moment. */
  private nextRetryMs(): number {
    if (this.notEnrolled) return NOT_ENROLLED_RETRY_MS;
    const whole = Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** this.failures);
    this.failures = Math.min(this.failures + 1, 10);
    return whole * (0.5 + Math.random() / 2);
  }
}

export const stream = new LiveStream();
