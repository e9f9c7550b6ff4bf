// The PINs that were typed on the lock screen without a connection, sealed, until the server has checked them, and then what it said. They
// are in the tablet's database before the screen opens: a browser that is killed a moment later must not forget that a PIN is unchecked.
import type { TabletDatabase } from "@/storage/database";
import type { TabletStorage } from "@/storage/storage";

/** `right`: the server opened the session. `wrong`: nobody knows who used the tablet since. */
export type Verdict = "right" | "wrong";

export interface SealedPin {
  readonly id: string;
  /** Null after the verdict: the PIN is not kept any longer. */
  readonly sellado: string | null;
  readonly verdict: Verdict | null;
  /** Epoch ms of the tablet. */
  readonly at: number;
}

export interface SealStorage {
  all(): Promise<SealedPin[]>;
  /** Resolves when it is stored. */
  save(seal: SealedPin): Promise<void>;
  remove(id: string): Promise<void>;
}

/** `verdict` is null for a seal that another tab has just stored. */
export type SealListener = (seal: string, verdict: Verdict | null) => void;

/** Verdicts stay known: another tab, or this page after a reload, has taps that were made with these PINs. */
export const VERDICT_KEPT_MS = 7 * 24 * 3_600_000;

export class SealedPins {
  private readonly known = new Map<string, SealedPin>();
  private readonly listeners = new Set<SealListener>();
  private sending: Promise<void> | null = null;

  /** `check` asks the server; `later`: it could not say. */
  constructor(
    private readonly storage: SealStorage,
    private readonly check: (sellado: string) => Promise<Verdict | "later">,
    private readonly now: () => number = Date.now,
  ) {}

  onChange(listener: SealListener): void {
    this.listeners.add(listener);
  }

  /** Those that the server has not checked. */
  readonly open = (): ReadonlySet<string> => this.withVerdict(null);
  readonly right = (): ReadonlySet<string> => this.withVerdict("right");

  private withVerdict(verdict: Verdict | null): ReadonlySet<string> {
    return new Set([...this.known.values()].filter((seal) => seal.verdict === verdict).map(({ id }) => id));
  }

  /** Takes over what is stored, also by other tabs. */
  async load(): Promise<void> {
    for (const seal of await this.storage.all()) this.learn(seal);
  }

  /** Resolves when a killed browser cannot lose it any more. */
  async keep(id: string, sellado: string): Promise<void> {
    const seal: SealedPin = { id, sellado, verdict: null, at: this.now() };
    this.known.set(id, seal);
    await this.storage.save(seal);
  }

  /** Sends the sealed PINs in their order; those without an answer are sent again later. One sending at a time. */
  send(): Promise<void> {
    return (this.sending ??= this.sendAll().finally(() => (this.sending = null)));
  }

  private async sendAll(): Promise<void> {
    await this.load();
    await this.forgetOld();
    for (const id of this.open()) {
      const seal = this.known.get(id);
      if (!seal?.sellado) continue; // another tab has sent it meanwhile
      const verdict = await this.check(seal.sellado);
      if (verdict === "later") return;
      const judged: SealedPin = { ...seal, sellado: null, verdict };
      await this.storage.save(judged);
      this.learn(judged);
    }
  }

  private learn(seal: SealedPin): void {
    const before = this.known.get(seal.id);
    if (before && (before.verdict ?? seal.verdict) === before.verdict) return; // a verdict is final
    this.known.set(seal.id, seal);
    for (const listener of this.listeners) listener(seal.id, seal.verdict);
  }

  private async forgetOld(): Promise<void> {
    for (const { id, verdict, at } of [...this.known.values()]) {
      if (verdict === null || Math.abs(this.now() - at) <= VERDICT_KEPT_MS) continue;
      this.known.delete(id);
      await this.storage.remove(id);
    }
  }
}

const PREFIX = "carrete.seal.";

/** In the database; what it refuses goes into the browser's smaller storage. Oldest first. */
export function sealStorageInBoth(
  database: Pick<TabletDatabase, "change" | "read">,
  small: Pick<TabletStorage, "get" | "set" | "remove" | "names">,
): SealStorage {
  const inSmall = (): unknown[] =>
    small
      .names()
      .filter((name) => name.startsWith(PREFIX))
      .map((name) => ({ verdict: null, ...(parsed(small.get(name)) as object) })); // an older version stored no verdict
  return {
    all: async () => {
      const read = database.read<unknown[]>(["seals"], (store, finish) => {
        const all = store("seals").getAll() as IDBRequest<unknown[]>;
        all.onsuccess = () => finish(all.result);
      });
      return [...((await read) ?? []), ...inSmall()].filter(isSealedPin).sort((a, b) => a.at - b.at);
    },
    save: async (seal) => {
      const stored = await database.change<true>(["seals"], (store, finish) => {
        store("seals").put(seal);
        finish(true);
      });
      if (stored) small.remove(PREFIX + seal.id);
      else small.set(PREFIX + seal.id, JSON.stringify(seal));
    },
    remove: async (id) => {
      small.remove(PREFIX + id);
      await database.change<true>(["seals"], (store, finish) => {
        store("seals").delete(id);
        finish(true);
      });
    },
  };
}

function isSealedPin(value: unknown): value is SealedPin {
  const { id, at, verdict } = (value ?? {}) as { [Field in keyof SealedPin]?: unknown };
  return typeof id === "string" && typeof at === "number" && (verdict === null || verdict === "right" || verdict === "wrong");
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
}
