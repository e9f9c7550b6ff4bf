// The taps that wait for an answer. A tap without an answer is sent again with the same key, so the server does it only once.
import { RefusedError } from "@/api/http";
import type { Call } from "@/api/call";
import type { Problem } from "@/api/types";
import { cadena, type ChainStep } from "@/api/cadena";
import { claimsOf, type Claim } from "./claims";
import { isOfSession, isOpenFor, isSameStep, stepsOf, tapCount, type ChainBody } from "./chain";
import { newKey } from "./key";
import { macOf, type Signature } from "./signing";
import { authorIdOf, byOrder, isKept, type Tap, type TapAuthor, type TapDetails, type TapOutcome, type TapWait } from "./tap";
import type { TapStorage } from "./tapStorage";
import { isIdentityRefusal, isProved, waitAfter, waitOf, type Seals, type Signed } from "./waiting";

/** Where taps cannot be signed, fewer are kept, and for less long. */
export const TAPS_MAX = 60;
export const SIGNED_TAPS_MAX = 500;
/** An older tap is sent again only by a person: after half an hour the worker may no longer want it. */
export const AUTO_RETRY_MS_MAX = 30 * 60_000;
export const SIGNED_RETRY_MS_MAX = 12 * 3_600_000;
/** Of the taps that waited, this many are under way at once: fifty tablets come back together. */
export const LATE_SENDING_MAX = 4;
/** Besides those: uploading the photos of a note takes long, and work does not wait for it. */
export const LATE_NOTES_SENDING_MAX = 1;
/** For this long the end of a session waits for taps that are being signed and stored. */
export const STORING_MS_MAX = 5_000;
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

/** Taps that waited: how many are under way, and the keys of those that must wait for them. */
interface LateSlots {
  readonly max: number;
  sending: number;
  readonly waiting: Set<string>;
}
const lateSlots = (max: number): LateSlots => ({ max, sending: 0, waiting: new Set() });

export interface NewStep {
  tag: string;
  worker_id: number;
  step: ChainStep;
  about: TapDetails;
}

/** `memory`: it waits to be sent, but a reload loses it. `absent`: whoever tapped it is not signed in any more; it was not kept. */
export type StepResult = "saved" | "memory" | "full" | "absent";

export class TapQueue {
  private pending = new Map<string, PendingTap>();
  private listeners = new Set<() => void>();
  private outcomeListeners = new Set<OutcomeListener>();
  private snapshot: readonly Tap[] = [];
  private identity: TapIdentity | null | undefined;
  private restoring: Promise<void> | null = null;
  private adding: Promise<unknown> = Promise.resolve(); // steps are added one after the other
  private readonly storing = new Set<Promise<void>>(); // taps that are being signed and stored
  private readonly lateWork = lateSlots(LATE_SENDING_MAX);
  private readonly lateNotes = lateSlots(LATE_NOTES_SENDING_MAX);

  /** `isReachable`: while the server is not, a chain that was never sent stays here, and may grow. */
  constructor(
    private readonly post: SendPost,
    private readonly storage: TapStorage,
    private readonly now: () => number = Date.now,
    private readonly isReachable: () => boolean = () => true,
  ) {}

  /** Null: the server knows no identities, and every tap may be sent. Until it is told, a tap that has an author waits. */
  setIdentity(identity: TapIdentity | null): void {
    this.identity = identity;
    this.identityChanged();
  }

  /** Somebody signed in or out, or the server has checked a PIN: other taps may be sent now. */
  identityChanged(): void {
    for (const { tap } of [...this.pending.values()]) this.noteProof(tap);
    for (const [key, { tap }] of this.pending) this.change(key, { waits: this.waitOf(tap) });
    this.retryAll();
  }

  /** The tap remembers by itself that the PIN before it was right: the verdict is not kept for ever. */
  private noteProof({ key, author }: Tap): void {
    if (author?.seal && this.identity?.seals().right.has(author.seal)) this.change(key, { author: { ...author, seal: null } });
  }

  /** The PIN behind this seal was wrong: the taps made with it are not sent until their author says that they are theirs. */
  doubt(seal: string): void {
    for (const [key, { tap }] of this.pending) if (tap.author?.seal === seal) this.change(key, { doubtful: true, waits: "confirm" });
    this.retryAll(); // what the author tapped after those, with the right PIN, does not wait for them
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
  restore(): Promise<void> {
    return (this.restoring ??= this.restoreAll().finally(() => (this.restoring = null)));
  }

  private async restoreAll(): Promise<void> {
    const stored = (await this.storage.all()).taps.slice(0, SIGNED_TAPS_MAX).filter(({ key }) => !this.pending.has(key));
    for (const tap of stored) this.add({ ...tap, state: "unsent", saved: true }, false);
    for (const tap of stored) this.noteProof(tap);
    for (const tap of stored) if (this.retriesByItself(tap)) void this.send(tap.key);
  }

  /** A second tap on a spool while the first one waits is the same tap: gloved fingers tap twice. */
  tap<Body, Answer>(
    call: Call<Body, Answer>,
    body: Body,
    about: TapDetails,
    author: TapAuthor | null | undefined = this.identity?.signed(),
  ): Promise<TapOutcome<Answer>> {
    if (this.restoring) return this.restoring.then(() => this.tap(call, body, about, author));
    const same = this.findSame(call.path, about, body);
    if (same) return this.adopt(same) as Promise<TapOutcome<Answer>>;
    if (this.isFull(author)) return Promise.resolve({ kind: "full" });
    const tap: Tap = { key: newKey(), path: call.path, body, about, ...this.madeNow(), state: "sending", ...(author && { author }) };
    const pending = this.add(tap, true);
    void this.storeAndSend(pending);
    return pending.promise as Promise<TapOutcome<Answer>>;
  }

  /** Nothing is sent before it is signed and stored. */
  private async storeAndSend(pending: PendingTap): Promise<void> {
    if (isKept(pending.tap)) await this.signAndStore(pending);
    void this.send(pending.tap.key);
  }

  private signAndStore(pending: PendingTap): Promise<void> {
    const storing = this.signThenStore(pending);
    const isOver = (): unknown => this.storing.delete(storing);
    this.storing.add(storing);
    void storing.then(isOver, isOver);
    return storing;
  }

  private async signThenStore(pending: PendingTap): Promise<void> {
    pending.inFlight = true;
    const signed = await this.signed(pending.tap);
    pending.tap = { ...pending.tap, signature: signed.signature }; // a session may end while a slow disk still stores it
    const saved = await this.storage.save(signed);
    pending.tap = { ...pending.tap, saved };
    pending.inFlight = false;
    if (!this.pending.has(pending.tap.key)) await this.storage.remove(pending.tap.key); // dropped meanwhile
    this.publish();
  }

  private async signed(tap: Tap): Promise<Tap> {
    if (!tap.author || !this.identity) return tap;
    const signature = await this.identity.sign(tap.author, tap.path, tap.key, JSON.stringify(tap.body)).catch(() => null);
    return signature ? { ...tap, signature } : tap;
  }

  /** The signatures of this session's taps that have no answer yet, oldest first: those that are stored, by whatever tab, and those of this
   * tab. For the end of the session: its key is destroyed already, and nothing more is signed. Null: the database cannot be read (yet), and
   * may hold some. */
  async unsent(session: string): Promise<string[] | null> {
    const stored = Promise.all([this.restoring, this.adding, ...this.storing]).catch(() => undefined);
    await Promise.race([stored, new Promise((resolve) => setTimeout(resolve, STORING_MS_MAX))]);
    const { taps: inStorage, whole } = await this.storage.all();
    if (!whole) return null;
    const here = [...this.pending.values()].map(({ tap }) => tap);
    const byKey = new Map([...inStorage, ...here].map((tap) => [tap.key, tap]));
    return [...byKey.values()]
      .sort(byOrder)
      .flatMap(({ signature }) => (signature?.session === session ? [macOf(signature)] : []));
  }

  /** What is tapped without a connection. It becomes part of the chain of this person on this spool, which is sent as one request.
   * Resolves when it is stored; what becomes of it, the outcome listeners hear. */
  step(step: NewStep): Promise<StepResult> {
    const author = this.identity?.signed(); // now: another person may be here by the time the storage has answered
    if (this.identity && author?.worker_id !== step.worker_id) return Promise.resolve("absent");
    const added = this.adding.then(() => this.restoring).then(() => this.addStep(step, author));
    this.adding = added.catch(() => undefined);
    return added;
  }

  private async addStep({ tag, worker_id, step, about }: NewStep, author: TapAuthor | null | undefined): Promise<StepResult> {
    const last = this.lastOn(tag, worker_id);
    if (last && isOfSession(last.tap, author) && isSameStep(stepsOf(last.tap).at(-1), step)) return last.tap.saved ? "saved" : "memory";
    if (this.isFull(author)) return "full";
    const open = last && !last.inFlight && isOpenFor(last.tap, author) ? last : undefined;
    const body: ChainBody = { tag_spool: tag, worker_id, pasos: [...(open ? stepsOf(open.tap) : []), step] };
    const before = open
      ? { at: open.tap.at, order: open.tap.order, follows: open.tap.follows }
      : { ...this.madeNow(), follows: last?.tap.key };
    const chain: Tap = { key: newKey(), path: cadena.path, body, about, ...before, state: "unsent", sent: false, ...(author && { author }) };
    if (!open) return this.storeChain(await this.signed(chain));
    open.inFlight = true; // it is not sent while it grows
    const longer = await this.signed(chain);
    const stored = await this.storage.replace(open.tap.key, longer);
    open.inFlight = false;
    if (stored !== "late") return this.chainStored(longer, stored === "stored", open);
    const alone: Tap = { ...chain, body: { ...body, pasos: [step] }, follows: open.tap.key, ...this.madeNow() };
    return this.storeChain(await this.signed(alone));
  }

  private async storeChain(chain: Tap): Promise<StepResult> {
    return this.chainStored(chain, await this.storage.save(chain));
  }

  private chainStored(chain: Tap, saved: boolean, replaced?: PendingTap): StepResult {
    if (replaced) this.pending.delete(replaced.tap.key);
    this.add({ ...chain, saved }, false);
    void this.send(chain.key);
    return saved ? "saved" : "memory";
  }

  /** This person's last tap on this spool: none of their others on it follows it. Taps that were sent at once follow nothing. */
  private lastOn(tag: string, worker_id: number): PendingTap | undefined {
    const isOwn = (tap: Tap): boolean => authorIdOf(tap) === worker_id && tap.about.tags.includes(tag) && stepsOf(tap).length > 0;
    const own = [...this.pending.values()].filter(({ tap }) => isOwn(tap));
    const followed = new Set(own.map(({ tap }) => tap.follows));
    return own.filter(({ tap }) => !followed.has(tap.key)).sort((a, b) => byOrder(a.tap, b.tap)).at(-1);
  }

  private madeNow(): Pick<Tap, "at" | "order"> {
    const highest = Math.max(0, ...[...this.pending.values()].map(({ tap }) => tap.order ?? 0));
    return { at: this.now(), order: highest + 1 };
  }

  private isFull(author: TapAuthor | null | undefined): boolean {
    const count = [...this.pending.values()].reduce((sum, { tap }) => sum + tapCount(tap), 0);
    return count >= (author ? SIGNED_TAPS_MAX : TAPS_MAX);
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

  /** A person gives the tap up, and with it what the same person tapped after it on the same spool. Whether it had arrived is not
   * known here; the spool's own state tells. */
  drop(key: string): void {
    const dropped = this.pending.get(key)?.tap;
    if (!dropped) return;
    for (const follower of this.followersOf(key)) {
      const tap = this.pending.get(follower)?.tap;
      if (tap && this.isSurelySamePerson(dropped, tap)) this.drop(follower);
      else this.change(follower, { follows: dropped.follows });
    }
    this.finish(key, { kind: "dropped" });
  }

  /** The seal says with which PIN the screen was opened: somebody else may have typed one that the server has not found right. */
  private isSurelySamePerson(a: Tap, b: Tap): boolean {
    const seals = this.identity?.seals();
    return a.author?.seal === b.author?.seal || !seals || (isProved(a, seals) && isProved(b, seals));
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
    if (this.mustWait(pending)) return;
    const late = pending.tap.state === "unsent";
    const slots = pending.tap.about.accion === "NOTA" ? this.lateNotes : this.lateWork;
    if (late && slots.sending >= slots.max) {
      slots.waiting.add(key);
      return;
    }
    pending.inFlight = true;
    slots.sending += Number(late);
    try {
      if (await this.markSent(pending)) await this.postOnce(pending);
    } finally {
      slots.sending -= Number(late);
      pending.inFlight = false;
      this.sendNextLate(slots);
    }
  }

  /** What has to happen before this tap may be sent. */
  private mustWait({ tap }: PendingTap): boolean {
    const waits = this.waitOf(tap);
    const isBehind = this.isBehind(tap);
    const isHeld = tap.sent === false && !this.isReachable();
    const must = waits !== undefined || isBehind || isHeld;
    this.change(tap.key, must ? { waits, state: "unsent" } : { waits });
    return must;
  }

  /** A tap that was made with a wrong PIN holds up only what was tapped with the same one; the rest waits for what came before it. */
  private isBehind(tap: Tap): boolean {
    const before = tap.follows === undefined ? undefined : this.pending.get(tap.follows)?.tap;
    if (!before) return false;
    const isStrangers = before.author?.seal !== tap.author?.seal && this.waitOf(before) === "confirm";
    return isStrangers ? this.isBehind({ ...tap, follows: before.follows }) : true;
  }

  /** From now on the chain may have arrived, so it must not grow any more, in any tab. */
  private async markSent(pending: PendingTap): Promise<boolean> {
    const { key, sent } = pending.tap;
    if (sent !== false) return true;
    const mine = await this.storage.markSent(key);
    if (mine) this.change(key, { sent: true });
    else this.finish(key, { kind: "elsewhere" });
    return mine && this.pending.has(key);
  }

  private async postOnce(pending: PendingTap): Promise<void> {
    const { key, path, body, signature } = pending.tap;
    const slow = setTimeout(() => this.change(key, { state: "unsent" }), SLOW_MS);
    try {
      const answer = await this.post(path, signature?.body ?? JSON.stringify(body), key, signature?.header);
      await this.answered(pending, { kind: "done", answer });
    } catch (error) {
      if (!(error instanceof RefusedError)) this.retryLater(pending);
      else if (isIdentityRefusal(error.problem)) this.wait(pending, error.problem);
      else await this.answered(pending, { kind: "refused", problem: error.problem });
    } finally {
      clearTimeout(slow);
    }
  }

  private sendNextLate(slots: LateSlots): void {
    const [next] = slots.waiting;
    if (next === undefined || slots.sending >= slots.max) return;
    slots.waiting.delete(next);
    void this.send(next);
    if (!this.pending.get(next)?.inFlight) this.sendNextLate(slots); // that one has to wait for something else
  }

  private followersOf(key: string): string[] {
    return [...this.pending.values()].filter(({ tap }) => tap.follows === key).map(({ tap }) => tap.key);
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

  /** A tablet that is switched off here must not lose the work: the refused tap is forgotten only after its claim is stored. Until
   * then it would be sent again under its key, and refused again. */
  private async answered({ tap }: PendingTap, outcome: TapOutcome<unknown>): Promise<void> {
    if (!this.pending.has(tap.key)) return; // dropped meanwhile
    const isHere = !tap.author || this.identity?.signed()?.worker_id === tap.author.worker_id;
    for (const claim of claimsOf(tap, outcome, isHere)) await this.claimWork(claim);
    this.finish(tap.key, outcome);
  }

  private async claimWork(claim: Claim): Promise<void> {
    if (this.findSame(claim.path, claim.about, claim.body)) return;
    const pending = this.add({ ...claim, key: newKey(), ...this.madeNow(), state: "sending" }, false);
    await this.signAndStore(pending);
    void this.send(pending.tap.key);
  }

  private finish(key: string, outcome: TapOutcome<unknown>): void {
    const pending = this.pending.get(key);
    if (!pending) return;
    clearTimeout(pending.timer);
    const followers = this.followersOf(key);
    this.pending.delete(key);
    this.lateWork.waiting.delete(key);
    this.lateNotes.waiting.delete(key);
    void this.storage.remove(key);
    this.publish();
    for (const listener of this.outcomeListeners) listener(pending.tap, outcome, pending.owned);
    pending.settle(outcome);
    for (const follower of followers) this.retry(follower); // the server decides about it by its rules, whatever became of this one
  }

  private add(tap: Tap, owned: boolean): PendingTap {
    const pending: PendingTap = { tap, ...deferred(), owned, tries: 0, inFlight: false, closedElsewhere: false };
    this.pending.set(tap.key, pending);
    this.publish();
    return pending;
  }

  private change(key: string, changes: Partial<Pick<Tap, "state" | "waits" | "signature" | "doubtful" | "author" | "sent" | "follows">>): void {
    const pending = this.pending.get(key);
    if (!pending) return;
    const names = Object.keys(changes) as (keyof typeof changes)[];
    if (names.every((name) => pending.tap[name] === changes[name])) return;
    pending.tap = { ...pending.tap, ...changes };
    const isStored = names.some((name) => ["signature", "doubtful", "author", "follows"].includes(name));
    if (isStored && isKept(pending.tap)) void this.storage.update(pending.tap);
    this.publish();
  }

  private waitOf(tap: Tap): TapWait | undefined {
    if (this.identity) return waitOf(tap, this.identity.signed(), this.identity.seals());
    return this.identity === undefined && tap.author ? "author" : undefined;
  }

  private publish(): void {
    this.snapshot = [...this.pending.values()].map(({ tap }) => tap);
    for (const listener of this.listeners) listener();
  }

  private findSame(path: string, about: TapDetails, body: unknown): PendingTap | undefined {
    const wanted = identityOf({ path, about, body });
    return [...this.pending.values()].find(({ tap }) => identityOf(tap) === wanted);
  }

  private retriesByItself(tap: Tap): boolean {
    return ageMs(tap, this.now()) < retryMsMax(tap);
  }
}

/** For how long a tap is sent again by itself: a signature says whose it is, however late it arrives. */
export const retryMsMax = ({ signature }: Pick<Tap, "signature">): number => (signature ? SIGNED_RETRY_MS_MAX : AUTO_RETRY_MS_MAX);

/** A tablet's clock may be set meanwhile, forwards or backwards: a tap that seems old either way is left to a person. */
export const ageMs = (tap: Tap, now: number): number => Math.abs(now - tap.at);

/** Two taps are the same when the same worker asks for the same action on the same spools; two claims, when they are of the same
 * refused tap; two notes, when they say the same. */
function identityOf({ path, about, body }: Pick<Tap, "path" | "about" | "body">): string {
  const { accion, operacion, worker, tags } = about;
  const { clave, texto, n_union, fotos } = (body ?? {}) as { clave?: string; texto?: string; n_union?: number; fotos?: string[] };
  return JSON.stringify([path, accion, operacion, worker, tags, clave, texto, n_union, fotos]);
}

function deferred(): { promise: Promise<TapOutcome<unknown>>; settle: Settle } {
  let settle: Settle = () => undefined;
  const promise = new Promise<TapOutcome<unknown>>((resolve) => (settle = resolve));
  return { promise, settle };
}
