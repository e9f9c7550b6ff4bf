// The taps that wait for an answer. A lost answer is asked for again with the same key, so nothing happens twice.
import { Refused } from "@/api/http";
import type { Call } from "@/api/call";
import { newKey } from "./key";
import type { Shelf } from "./shelf";
import type { About, Outcome, Tap } from "./tap";

export const TAPS_MAX = 60;
/** After this only a person sends it again: what was meant half an hour ago may not be meant now. */
export const BY_ITSELF_MS_MAX = 30 * 60_000;
/** Without an answer for this long the worker is told "Sin enviar". */
export const SLOW_MS = 3_000;
const RETRY_MS_MIN = 1_000;
const RETRY_MS_MAX = 15_000;

type Post = (path: string, body: unknown, key: string) => Promise<unknown>;
type Settle = (outcome: Outcome<unknown>) => void;
export type Told = (tap: Tap, outcome: Outcome<unknown>, owned: boolean) => void;

interface Waiting {
  tap: Tap;
  settle: Settle;
  promise: Promise<Outcome<unknown>>;
  owned: boolean; // the screen that asked is still there
  tries: number;
  inFlight: boolean;
  closed: boolean; // in another tab
  timer?: ReturnType<typeof setTimeout> | undefined;
}

export class TapQueue {
  private waiting = new Map<string, Waiting>();
  private watchers = new Set<() => void>();
  private hearers = new Set<Told>();
  private shown: readonly Tap[] = [];

  constructor(
    private readonly post: Post,
    private readonly shelf: Shelf,
    private readonly now: () => number = Date.now,
  ) {}

  /** Takes up what a reload interrupted. */
  restore(): void {
    for (const tap of this.shelf.all().slice(0, TAPS_MAX)) {
      if (this.waiting.has(tap.key)) continue;
      this.add({ ...tap, state: "unsent" }, false);
      if (this.goesByItself(tap)) void this.send(tap.key);
    }
  }

  /** A second tap on a spool whose first still waits is the same tap: gloves. */
  tap<Body, Answer>(call: Call<Body, Answer>, body: Body, about: About): Promise<Outcome<Answer>> {
    const same = this.sameAs(call.path, about);
    if (same) return this.adopted(same) as Promise<Outcome<Answer>>;
    if (this.waiting.size >= TAPS_MAX) return Promise.resolve({ kind: "full" });
    const tap: Tap = { key: newKey(), path: call.path, body, about, at: this.now(), state: "sending" };
    this.shelf.keep(tap);
    const { promise } = this.add(tap, true);
    void this.send(tap.key);
    return promise as Promise<Outcome<Answer>>;
  }

  private adopted(one: Waiting): Promise<Outcome<unknown>> {
    one.owned = true;
    this.retry(one.tap.key);
    return one.promise;
  }

  /** Now, whatever the schedule says. */
  retry(key: string): void {
    const one = this.waiting.get(key);
    if (one && !one.inFlight) void this.send(key);
  }

  /** The connection is back. */
  retryAll(): void {
    for (const [key, one] of this.waiting) if (this.goesByItself(one.tap)) this.retry(key);
  }

  /** Given up by a person. Whether it had arrived is not known here; the spool's own state tells. */
  drop(key: string): void {
    this.finish(key, { kind: "dropped" });
  }

  /** Another tab is through with it: what is on its way here is still heard, but nothing is sent again. */
  closeElsewhere(key: string): void {
    const one = this.waiting.get(key);
    if (!one) return;
    one.closed = true;
    if (!one.inFlight) this.finish(key, { kind: "elsewhere" });
  }

  /** The screen that asked is gone: its outcome is told to everybody instead. */
  disown(promise: Promise<Outcome<unknown>>): void {
    for (const one of this.waiting.values()) if (one.promise === promise) one.owned = false;
  }

  hear(told: Told): () => void {
    this.hearers.add(told);
    return () => this.hearers.delete(told);
  }

  readonly watch = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  };

  readonly taps = (): readonly Tap[] => this.shown;

  private async send(key: string): Promise<void> {
    const one = this.waiting.get(key);
    if (!one || one.inFlight) return;
    one.inFlight = true;
    clearTimeout(one.timer);
    const slow = setTimeout(() => this.mark(key, "unsent"), SLOW_MS);
    try {
      const answer = await this.post(one.tap.path, one.tap.body, key);
      this.finish(key, { kind: "done", answer });
    } catch (error) {
      if (error instanceof Refused) this.finish(key, { kind: "refused", problem: error.problem });
      else this.again(one);
    } finally {
      clearTimeout(slow);
      one.inFlight = false;
    }
  }

  private again(one: Waiting): void {
    const { key } = one.tap;
    if (!this.waiting.has(key)) return; // dropped meanwhile
    if (one.closed) {
      this.finish(key, { kind: "elsewhere" });
      return;
    }
    this.mark(key, "unsent");
    const wait = Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** Math.min(one.tries++, 10));
    if (this.goesByItself(one.tap)) one.timer = setTimeout(() => void this.send(key), wait * (0.5 + Math.random() / 2));
    else this.show(); // it waits for a person from now on
  }

  private finish(key: string, outcome: Outcome<unknown>): void {
    const one = this.waiting.get(key);
    if (!one) return;
    clearTimeout(one.timer);
    this.waiting.delete(key);
    this.shelf.forget(key);
    this.show();
    for (const told of this.hearers) told(one.tap, outcome, one.owned);
    one.settle(outcome);
  }

  private add(tap: Tap, owned: boolean): Waiting {
    const one: Waiting = { tap, ...deferred(), owned, tries: 0, inFlight: false, closed: false };
    this.waiting.set(tap.key, one);
    this.show();
    return one;
  }

  private mark(key: string, state: Tap["state"]): void {
    const one = this.waiting.get(key);
    if (!one || one.tap.state === state) return;
    one.tap = { ...one.tap, state };
    this.show();
  }

  private show(): void {
    this.shown = [...this.waiting.values()].map((one) => one.tap);
    for (const watcher of this.watchers) watcher();
  }

  private sameAs(path: string, about: About): Waiting | undefined {
    const wanted = sense(path, about);
    return [...this.waiting.values()].find((one) => sense(one.tap.path, one.tap.about) === wanted);
  }

  private goesByItself(tap: Tap): boolean {
    return ageMs(tap, this.now()) < BY_ITSELF_MS_MAX;
  }
}

/** A tablet's clock may be put right meanwhile: however far off, a tap that seems old is left to a person. */
export const ageMs = (tap: Tap, now: number): number => Math.abs(now - tap.at);

/** Two taps are one when the same worker means the same: somebody else's is never taken over. */
const sense = (path: string, { accion, operacion, worker, tags }: About): string =>
  JSON.stringify([path, accion, operacion, worker, tags]);

function deferred(): { promise: Promise<Outcome<unknown>>; settle: Settle } {
  let settle: Settle = () => undefined;
  const promise = new Promise<Outcome<unknown>>((resolve) => (settle = resolve));
  return { promise, settle };
}
