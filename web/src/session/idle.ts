// When a screen that nobody touches locks, and how the server hears that somebody touches it. Pure but for the timers.

/** A tablet's clock may be set, forwards or backwards: a time in the future counts as long ago too. */
export const msBetween = (at: number, now: number): number => Math.abs(now - at);

export const isIdle = (touchedAt: number, now: number, idle_ms_max: number): boolean =>
  msBetween(touchedAt, now) >= idle_ms_max;

export const REPORT_EVERY_MS = 60_000;

/** Reports touches at most once a minute. A touch within the minute is reported at its end, so the server never locks a session
 * before the tablet does. */
export class UseReporter {
  private reportedAt = -Infinity;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly report: () => void,
    private readonly now: () => number = Date.now,
  ) {}

  touched(): void {
    if (this.timer !== undefined) return;
    const since = msBetween(this.reportedAt, this.now());
    if (since >= REPORT_EVERY_MS) this.send();
    else this.timer = setTimeout(() => this.send(), REPORT_EVERY_MS - since);
  }

  /** The screen is locked, or nobody is signed in any more. */
  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private send(): void {
    this.stop();
    this.reportedAt = this.now();
    this.report();
  }
}
