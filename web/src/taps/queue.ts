// The taps that wait for an answer. A tap without an answer is sent again with the same key, so the server does it only once.
import { RefusedError } from "@/api/http";
import type { Call } from "@/api/call";
import { newKey } from "./key";
import type { Tap, TapDetails, TapOutcome } from "./tap";
import type { TapStorage } from "./tapStorage";

export const TAPS_MAX = 60;
/** An older tap is sent again only by a person: after half an hour the worker may no longer want it. */
export const AUTO_RETRY_MS_MAX = 30 * 60_000;
/** Without an answer for this long the worker sees "Sin enviar". */
export const SLOW_MS = 3_000;
const RETRY_MS_MIN = 1_000;
const RETRY_MS_MAX = 15_000;

type SendPost = (path: string, body: unknown, key: string) => Promise<unknown>;
type Settle = (outcome: TapOutcome<unknown>) => void;
/** `owned`: the screen that sent the tap is still open and shows the outcome itself. */
export type OutcomeListener = (tap: Tap, outcome: TapOutcome<unknown>, owned: boolean) => void;

interface PendingTap {
  tap: Tap;
  settle: Settle;
  promise: Promise<TapOutcome<unknown>>;
  owned: boolean;
  tries: number;
  inFlight: boolean;
  closedElsewhere: boolean; // another tab got the answer or dropped the tap
  timer?: ReturnType<typeof setTimeout> | undefined;
}

export class TapQueue {
  private pending = new Map<string, PendingTap>();
  private listeners = new Set<() => void>();
  private outcomeListeners = new Set<OutcomeListener>();
  private snapshot: readonly Tap[] = [];

  constructor(
    private readonly post: SendPost,
    private readonly storage: TapStorage,
    private readonly now: () => number = Date.now,
  ) {}

  /** Sends again the taps that a reload interrupted. */
  restore(): void {
    for (const tap of this.storage.all().slice(0, TAPS_MAX)) {
      if (this.pending.has(tap.key)) continue;
      this.add({ ...tap, state: "unsent" }, false);
      if (this.retriesByItself(tap)) void this.send(tap.key);
    }
  }

  /** A second tap on a spool while the first one waits is the same tap: gloved fingers tap twice. */
  tap<Body, Answer>(call: Call<Body, Answer>, body: Body, about: TapDetails): Promise<TapOutcome<Answer>> {
    const same = this.findSame(call.path, about);
    if (same) return this.adopt(same) as Promise<TapOutcome<Answer>>;
    if (this.pending.size >= TAPS_MAX) return Promise.resolve({ kind: "full" });
    const tap: Tap = { key: newKey(), path: call.path, body, about, at: this.now(), state: "sending" };
    this.storage.save(tap);
    const { promise } = this.add(tap, true);
    void this.send(tap.key);
    return promise as Promise<TapOutcome<Answer>>;
  }

  private adopt(pending: PendingTap): Promise<TapOutcome<unknown>> {
    pending.owned = true;
    this.retry(pending.tap.key);
    return pending.promise;
  }

  /** Sends the tap now, without waiting for its timer. */
  retry(key: string): void {
    const pending = this.pending.get(key);
    if (pending && !pending.inFlight) void this.send(key);
  }

  /** For when the connection is back. */
  retryAll(): void {
    for (const [key, { tap }] of this.pending) if (this.retriesByItself(tap)) this.retry(key);
  }

  /** A person gives the tap up. Whether it had arrived is not known here; the spool's own state tells. */
  drop(key: string): void {
    this.finish(key, { kind: "dropped" });
  }

  /** Another tab has finished this tap: an answer that is on its way here still counts, but nothing is sent again. */
  closeElsewhere(key: string): void {
    const pending = this.pending.get(key);
    if (!pending) return;
    pending.closedElsewhere = true;
    if (!pending.inFlight) this.finish(key, { kind: "elsewhere" });
  }

  /** The screen that sent the tap is gone: the outcome listeners show the outcome instead. */
  disown(promise: Promise<TapOutcome<unknown>>): void {
    for (const pending of this.pending.values()) if (pending.promise === promise) pending.owned = false;
  }

  onOutcome(listener: OutcomeListener): () => void {
    this.outcomeListeners.add(listener);
    return () => this.outcomeListeners.delete(listener);
  }

  /** For useSyncExternalStore. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly taps = (): readonly Tap[] => this.snapshot;

  private async send(key: string): Promise<void> {
    const pending = this.pending.get(key);
    if (!pending || pending.inFlight) return;
    pending.inFlight = true;
    clearTimeout(pending.timer);
    const slow = setTimeout(() => this.setState(key, "unsent"), SLOW_MS);
    try {
      const answer = await this.post(pending.tap.path, pending.tap.body, key);
      this.finish(key, { kind: "done", answer });
    } catch (error) {
      if (error instanceof RefusedError) this.finish(key, { kind: "refused", problem: error.problem });
      else this.retryLater(pending);
    } finally {
      clearTimeout(slow);
      pending.inFlight = false;
    }
  }

  private retryLater(pending: PendingTap): void {
    const { key } = pending.tap;
    if (!this.pending.has(key)) return; // dropped meanwhile
    if (pending.closedElsewhere) {
      this.finish(key, { kind: "elsewhere" });
      return;
    }
    this.setState(key, "unsent");
    const delay = Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** Math.min(pending.tries++, 10));
    if (this.retriesByItself(pending.tap)) pending.timer = setTimeout(() => void this.send(key), delay * (0.5 + Math.random() / 2));
    else this.publish(); // it waits for a person from now on
  }

  private finish(key: string, outcome: TapOutcome<unknown>): void {
    const pending = this.pending.get(key);
    if (!pending) return;
    clearTimeout(pending.timer);
    this.pending.delete(key);
    this.storage.remove(key);
    this.publish();
    for (const listener of this.outcomeListeners) listener(pending.tap, outcome, pending.owned);
    pending.settle(outcome);
  }

  private add(tap: Tap, owned: boolean): PendingTap {
    const pending: PendingTap = { tap, ...deferred(), owned, tries: 0, inFlight: false, closedElsewhere: false };
    this.pending.set(tap.key, pending);
    this.publish();
    return pending;
  }

  private setState(key: string, state: Tap["state"]): void {
    const pending = this.pending.get(key);
    if (!pending || pending.tap.state === state) return;
    pending.tap = { ...pending.tap, state };
    this.publish();
  }

  private publish(): void {
    this.snapshot = [...this.pending.values()].map(({ tap }) => tap);
    for (const listener of this.listeners) listener();
  }

  private findSame(path: string, about: TapDetails): PendingTap | undefined {
    const wanted = identityOf(path, about);
    return [...this.pending.values()].find(({ tap }) => identityOf(tap.path, tap.about) === wanted);
  }

  private retriesByItself(tap: Tap): boolean {
    return ageMs(tap, this.now()) < AUTO_RETRY_MS_MAX;
  }
}

/** A tablet's clock may be set meanwhile, forwards or backwards: a tap that seems old either way is left to a person. */
export const ageMs = (tap: Tap, now: number): number => Math.abs(now - tap.at);

/** Two taps are the same when the same worker asks for the same action on the same spools. */
const identityOf = (path: string, { accion, operacion, worker, tags }: TapDetails): string =>
  JSON.stringify([path, accion, operacion, worker, tags]);

function deferred(): { promise: Promise<TapOutcome<unknown>>; settle: Settle } {
  let settle: Settle = () => undefined;
  const promise = new Promise<TapOutcome<unknown>>((resolve) => (settle = resolve));
  return { promise, settle };
}
