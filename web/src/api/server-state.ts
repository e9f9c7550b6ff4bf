// Whether the server is reachable: one state for everything on the screen that shows it. It is worked out from answered and
// failed calls, the live stream, and taps without an answer. One failed call proves little, so it leads to a health check.

/** `polled`: there is no stream, but the server answers calls. */
export type ServerState = "live" | "polled" | "connecting" | "offline";
export type StreamState = "live" | "connecting" | "offline";

export interface ServerSigns {
  stream: StreamState;
  /** The last call was answered. */
  reachable: boolean;
  /** The health check is under way. */
  checking: boolean;
  /** A worker tapped and has no answer: the state is then offline, whatever the other signs are. */
  unanswered: boolean;
}

export function serverStateOf({ stream, reachable, checking, unanswered }: ServerSigns): ServerState {
  if (unanswered || !reachable) return "offline";
  if (stream !== "offline") return stream;
  return checking ? "connecting" : "polled";
}

const HEALTH = "/api/health";
const CHECK_MS_MAX = 5_000;

export class ServerMonitor {
  private answers = 0;
  private signs: ServerSigns = { stream: "connecting", reachable: true, checking: false, unanswered: false };
  private readonly listeners = new Set<() => void>();

  constructor(private readonly askHealth: () => Promise<boolean> = answersHealth) {}

  readonly state = (): ServerState => serverStateOf(this.signs);

  /** Whether what is tapped now can only be kept: not merely one tap without an answer, but the server itself. */
  readonly isAway = (): boolean => this.state() === "offline" && !this.isReachable();

  /** Whether the server has answered this page, and nothing says that it is away since. */
  readonly isReachable = (): boolean => this.answers > 0 && this.signs.reachable;

  /** For useSyncExternalStore. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** A call was answered, or the stream brought data. */
  answered(): void {
    const before = this.isReachable();
    this.answers += 1;
    this.update({ reachable: true }, before);
  }

  /** A call was not answered, or the stream broke: check whether the server itself is unreachable. */
  failed(): void {
    if (!this.signs.checking) void this.check();
  }

  streamIs(stream: StreamState): void {
    this.update({ stream });
  }

  tapsAreUnanswered(unanswered: boolean): void {
    this.update({ unanswered });
  }

  private async check(): Promise<void> {
    const before = this.answers;
    this.update({ checking: true });
    const reachable = await this.askHealth();
    const answeredMeanwhile = this.answers > before; // another call was
    this.update({ reachable: reachable || answeredMeanwhile, checking: false });
  }

  private update(changes: Partial<ServerSigns>, wasReachable = this.isReachable()): void {
    const before = this.state();
    this.signs = { ...this.signs, ...changes };
    if (this.state() !== before || this.isReachable() !== wasReachable) for (const listener of this.listeners) listener();
  }
}

async function answersHealth(): Promise<boolean> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), CHECK_MS_MAX);
  try {
    return (await fetch(HEALTH, { cache: "no-store", signal: controller.signal })).ok;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

export const server = new ServerMonitor();

/** The tablet has lost its network: ask at once, so that the next tap is known to be provisional. */
if (typeof addEventListener !== "undefined") addEventListener("offline", () => server.failed());
