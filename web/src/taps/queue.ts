// The taps that wait for an answer. A tap without an answer is sent again with the same key, so the server does it only once.
import { RefusedError } from "@/api/http";
import type { Call } from "@/api/call";
import type { Problem } from "@/api/types";
import { newKey } from "./key";
import type { Signature } from "./signing";
import { isKept, type Tap, type TapAuthor, type TapDetails, type TapOutcome, type TapWait } from "./tap";
import type { TapStorage } from "./tapStorage";
import { isIdentityRefusal, waitAfter, waitOf, type Seals, type Signed } from "./waiting";

export const TAPS_MAX = 60;
/** An older tap is sent again only by a person: after half an hour the worker may no longer want it. */
export const AUTO_RETRY_MS_MAX = 30 * 60_000;
/** Without an answer for this long the worker sees "Sin enviar". */
export const SLOW_MS = 3_000;
const RETRY_MS_MIN = 1_000;
const RETRY_MS_MAX = 15_000;

/** Sends the body as it is given; `signature` is the header that says whose tap it is. */
type SendPost = (path: string, body: string, key: string, signature?: string) => Promise<unknown>;
type Settle = (outcome: TapOutcome<unknown>) => void;
/** `owned`: the screen that sent the tap is still open and shows the outcome itself. */
export type OutcomeListener = (tap: Tap, outcome: TapOutcome<unknown>, owned: boolean) => void;

/** Who uses this tablet, where the server knows identities. */
export interface TapIdentity {
  signed(): Signed;
  seals(): Seals;
  sign(author: TapAuthor, path: string, key: string, body: string): Promise<Signature | null>;
}

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
  private identity: TapIdentity | null = null;

  constructor(
    private readonly post: SendPost,
    private readonly storage: TapStorage,
    private readonly now: () => number = Date.now,
  ) {}

  /** Null: the server knows no identities, and every tap may be sent. */
  setIdentity(identity: TapIdentity | null): void {
    this.identity = identity;
    this.identityChanged();
  }

  /** Somebody signed in or out, or the server has checked a PIN: other taps may be sent now. */
  identityChanged(): void {
    for (const [key, { tap }] of this.pending) this.change(key, { waits: this.waitOf(tap) });
    this.retryAll();
  }

  /** The PIN behind this seal was wrong: the taps made with it are not sent until their author says that they are theirs. */
  doubt(seal: string): void {
    for (const [key, { tap }] of this.pending) if (tap.author?.seal === seal) this.change(key, { doubtful: true, waits: "confirm" });
  }

  /** The author says that a doubtful tap is theirs. It is sent under the session in which they say so, whose PIN the server
   * knows; nobody else may say it. */
  confirm(key: string): void {
    const author = this.pending.get(key)?.tap.author;
    const signed = this.identity?.signed() ?? null;
    if (!author || signed?.worker_id !== author.worker_id || signed.seal !== null) return;
    this.change(key, { doubtful: undefined, signature: undefined, waits: undefined, author: { ...author, seal: null } });
    this.retry(key);
  }

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
    const author = this.identity?.signed();
    const tap: Tap = { key: newKey(), path: call.path, body, about, at: this.now(), state: "sending", ...(author && { author }) };
    this.save(tap);
    const { promise } = this.add(tap, true);
    if (author && isKept(tap)) void this.signAndSend(tap.key, author);
    else void this.send(tap.key);
    return promise as Promise<TapOutcome<Answer>>;
  }

  /** The tap is stored before it is signed: without its signature it would only wait for its author. */
  private async signAndSend(key: string, author: TapAuthor): Promise<void> {
    const pending = this.pending.get(key);
    if (!pending || !this.identity) return;
    pending.inFlight = true; // nothing is sent before it is signed
    const { path, body } = pending.tap;
    const signature = await this.identity.sign(author, path, key, JSON.stringify(body)).catch(() => null);
    pending.inFlight = false;
    if (signature) this.change(key, { signature });
    void this.send(key);
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
    clearTimeout(pending.timer);
    const waits = this.waitOf(pending.tap);
    this.change(key, waits ? { waits, state: "unsent" } : { waits });
    if (waits) return;
    pending.inFlight = true;
    const slow = setTimeout(() => this.change(key, { state: "unsent" }), SLOW_MS);
    try {
      const { path, body, signature } = pending.tap;
      const answer = await this.post(path, signature?.body ?? JSON.stringify(body), key, signature?.header);
      this.finish(key, { kind: "done", answer });
    } catch (error) {
      if (!(error instanceof RefusedError)) this.retryLater(pending);
      else if (isIdentityRefusal(error.problem)) this.wait(pending, error.problem);
      else this.finish(key, { kind: "refused", problem: error.problem });
    } finally {
      clearTimeout(slow);
      pending.inFlight = false;
    }
  }

  /** The server does not know who asks. */
  private wait(pending: PendingTap, problem: Problem): void {
    const { key } = pending.tap;
    const waits = waitAfter(problem);
    if (waits === "author" && pending.tap.signature) {
      this.change(key, { signature: undefined }); // it is worth nothing; without it the tap waits for its author
      this.retryLater(pending);
    } else if (waits) this.change(key, { waits, state: "unsent" });
    else this.retryLater(pending);
  }

  private retryLater(pending: PendingTap): void {
    const { key } = pending.tap;
    if (!this.pending.has(key)) return; // dropped meanwhile
    if (pending.closedElsewhere) {
      this.finish(key, { kind: "elsewhere" });
      return;
    }
    this.change(key, { state: "unsent" });
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

  private change(key: string, changes: Partial<Pick<Tap, "state" | "waits" | "signature" | "doubtful" | "author">>): void {
    const pending = this.pending.get(key);
    if (!pending) return;
    const names = Object.keys(changes) as (keyof typeof changes)[];
    if (names.every((name) => pending.tap[name] === changes[name])) return;
    pending.tap = { ...pending.tap, ...changes };
    if (names.some((name) => name === "signature" || name === "doubtful" || name === "author")) this.save(pending.tap);
    this.publish();
  }

  private save(tap: Tap): void {
    if (isKept(tap)) this.storage.save(tap);
  }

  private waitOf(tap: Tap): TapWait | undefined {
    return this.identity ? waitOf(tap, this.identity.signed(), this.identity.seals()) : undefined;
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
