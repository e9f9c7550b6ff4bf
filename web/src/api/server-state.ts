// Is the server there? One state for everything that says so on the screen, from what was last seen of it: answered and failed
// calls, the live stream, and taps that nobody has answered. A failed call alone proves little, so the server itself is asked.

/** `polled`: there is no stream, but the server answers when it is asked. */
export type ServerState = "live" | "polled" | "connecting" | "offline";
export type StreamState = "live" | "connecting" | "offline";

export interface Seen {
  stream: StreamState;
  /** What the last evidence says. */
  reachable: boolean;
  /** The server is being asked whether it is there. */
  asking: boolean;
  /** Somebody tapped and has no answer: whatever else is heard, that person is not served. */
  unanswered: boolean;
}

export function stateOf({ stream, reachable, asking, unanswered }: Seen): ServerState {
  if (unanswered || !reachable) return "offline";
  if (stream !== "offline") return stream;
  return asking ? "connecting" : "polled";
}

const HEALTH = "/api/health";
const ASK_MS_MAX = 5_000;

export class ServerWatch {
  private answers = 0;
  private seen: Seen = { stream: "connecting", reachable: true, asking: false, unanswered: false };
  private readonly watchers = new Set<() => void>();

  constructor(private readonly isThere: () => Promise<boolean> = answersHealth) {}

  readonly state = (): ServerState => stateOf(this.seen);

  /** For useSyncExternalStore. */
  readonly watch = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  };

  /** A call was answered, or the stream brought something. */
  answered(): void {
    this.answers += 1;
    this.see({ reachable: true });
  }

  /** A call was not answered, or the stream broke: ask whether it is the server. */
  failed(): void {
    if (!this.seen.asking) void this.ask();
  }

  streamIs(stream: StreamState): void {
    this.see({ stream });
  }

  tapsAreUnanswered(unanswered: boolean): void {
    this.see({ unanswered });
  }

  private async ask(): Promise<void> {
    const before = this.answers;
    this.see({ asking: true });
    const there = await this.isThere();
    this.see({ reachable: there || this.answers > before, asking: false }); // another call may have been answered meanwhile
  }

  private see(news: Partial<Seen>): void {
    const before = this.state();
    this.seen = { ...this.seen, ...news };
    if (this.state() !== before) for (const watcher of this.watchers) watcher();
  }
}

async function answersHealth(): Promise<boolean> {
  const clock = new AbortController();
  const timer = setTimeout(() => clock.abort(), ASK_MS_MAX);
  try {
    return (await fetch(HEALTH, { cache: "no-store", signal: clock.signal })).ok;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

export const server = new ServerWatch();
