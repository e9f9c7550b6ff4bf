// The copy of the spools that a person holds or could take, as of the last look: in memory for the screens, and in the tablet's
// database for a reload without a connection.
import { getOfflineCopy } from "@/api/offline";
import type { SpoolCard } from "@/api/types";
import { askToPersist, type TabletDatabase, database } from "@/storage/database";
import { storage, type TabletStorage } from "@/storage/storage";

/** People of this tablet whose copies are kept; the one who was here longest ago is forgotten first. */
const PEOPLE_MAX = 3;
/** A person has deleted the copies: also after a reload nothing is stored again until somebody comes to the tablet anew. */
const STOPPED = "carrete.copy-stopped";

export interface OfflineCopy {
  readonly worker_id: number;
  /** By tag. */
  readonly cards: ReadonlyMap<string, SpoolCard>;
  /** When the server was last asked for all of it; epoch ms of the tablet. */
  readonly seenAt: number;
  /** How many spools did not fit. */
  readonly leftOut: number;
  /** The types of joint that are fitted and never welded. */
  readonly armOnly: readonly string[];
}

interface CopyRecord {
  worker_id: number;
  seenAt: number;
  leftOut: number;
  armOnly: string[];
  etag: string | null;
}

/** A sixteenth of a person's cards, as the JSON of a list: the browser reads two thousand records ten times as long as these few. */
interface CardsRecord {
  worker_id: number;
  part: number;
  cards: string;
}
const PARTS = 16;

/** Any even spread will do. */
function partOf(tag: string): number {
  let sum = 0;
  for (let i = 0; i < tag.length; i++) sum += tag.charCodeAt(i);
  return sum % PARTS;
}

function recordsOf(worker_id: number, cards: Iterable<SpoolCard>): CardsRecord[] {
  const parts: SpoolCard[][] = Array.from({ length: PARTS }, () => []);
  for (const card of cards) parts[partOf(card.tag_spool)]?.push(card);
  const records = parts.map((its, part) => ({ worker_id, part, cards: JSON.stringify(its) }));
  return records.filter((_, part) => parts[part]?.length);
}

const cardsIn = (records: readonly CardsRecord[]): SpoolCard[] =>
  records.flatMap(({ cards }) => (JSON.parse(cards) as StoredCard[]).map(completed));

/** A card may have been stored by an older version of the app, which knew no notes. */
type StoredCard = Omit<SpoolCard, "notas" | "mas_notas" | "atraso"> & Partial<Pick<SpoolCard, "notas" | "mas_notas" | "atraso">>;
const completed = (card: StoredCard): SpoolCard => ({ ...card, notas: card.notas ?? [], mas_notas: card.mas_notas ?? false, atraso: card.atraso ?? null });

const WORK = ["TOMAR", "INICIAR", "PAUSAR", "COMPLETAR", "CANCELAR", "FINALIZAR"];
/** Whether this person could take the spool, or holds it. */
export const isWorkable = ({ acciones }: Pick<SpoolCard, "acciones">): boolean => acciones.some(({ accion }) => WORK.includes(accion));

const rangeOf = (worker_id: number): IDBKeyRange => IDBKeyRange.bound([worker_id], [worker_id, []]);

export class CopyKeeper {
  private copy: OfflineCopy | null = null;
  private etag: string | null = null;
  private worker_id: number | null = null; // who is here
  private opening: { worker_id: number; done: Promise<void> } | null = null;
  private refreshing: { worker_id: number; done: Promise<void> } | null = null;
  private wipes = 0; // what was asked for before a wipe is not stored after it
  private isUnwiped = false; // the database refused to delete
  private readonly listeners = new Set<() => void>();

  constructor(
    private readonly stored: Pick<TabletDatabase, "read" | "change">,
    private readonly ask: typeof getOfflineCopy = getOfflineCopy,
    private readonly now: () => number = Date.now,
    private readonly small: Pick<TabletStorage, "get" | "set" | "remove"> = storage,
  ) {}

  readonly current = (): OfflineCopy | null => this.copy;

  /** For useSyncExternalStore. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** The copy of this person as it is stored, for a tablet that starts without a connection. */
  open(worker_id: number): Promise<void> {
    this.worker_id = worker_id;
    if (this.copy?.worker_id === worker_id) return Promise.resolve();
    if (this.opening?.worker_id === worker_id) return this.opening.done;
    const done = this.readStored(worker_id).finally(() => {
      if (this.opening?.done === done) this.opening = null;
    });
    this.opening = { worker_id, done };
    return done;
  }

  private async readStored(worker_id: number): Promise<void> {
    const wipes = this.wipes;
    this.etag = null;
    this.publish(null);
    const found = await this.stored.read<{ record: CopyRecord; cards: CardsRecord[] }>(["copies", "cards"], (store, finish) => {
      const record = store("copies").get(worker_id) as IDBRequest<CopyRecord | undefined>;
      record.onsuccess = () => {
        if (!record.result) return;
        const cards = store("cards").getAll(rangeOf(worker_id)) as IDBRequest<CardsRecord[]>;
        cards.onsuccess = () => record.result && finish({ record: record.result, cards: cards.result });
      };
    });
    if (!found || this.copy || this.worker_id !== worker_id || this.wipes !== wipes) return; // none, or the server or another person was faster
    this.etag = found.record.etag;
    this.publish({ ...found.record, cards: new Map(cardsIn(found.cards).map((card) => [card.tag_spool, card])) });
  }

  /** Asks the server for all of it. Throws when the server did not answer. */
  refresh(worker_id: number): Promise<void> {
    this.worker_id ??= worker_id;
    if (this.small.get(STOPPED) !== null) return Promise.resolve();
    if (this.refreshing?.worker_id === worker_id) return this.refreshing.done;
    const done = this.askAll(worker_id).finally(() => {
      if (this.refreshing?.done === done) this.refreshing = null;
    });
    this.refreshing = { worker_id, done };
    return done;
  }

  private async askAll(worker_id: number): Promise<void> {
    const wipes = this.wipes;
    const own = this.copy?.worker_id === worker_id ? this.copy : null;
    const answer = await this.ask(worker_id, own && this.etag);
    const seenAt = this.now();
    if (this.worker_id !== worker_id || this.wipes !== wipes) return; // another person is here by now, or it was deleted
    if (answer) {
      const { spools, faltan, solo_arm } = answer.copy;
      const cards = new Map(spools.map((card) => [card.tag_spool, card]));
      this.etag = answer.etag;
      this.publish({ worker_id, cards, seenAt, leftOut: faltan, armOnly: solo_arm });
      await this.storeAll();
    } else if (this.copy?.worker_id === worker_id) {
      this.publish({ ...this.copy, seenAt });
      await this.storeRecord();
    }
  }

  /** A card that was read just now: it is newer than the copy. The ETag stays: it changes with the version of every spool. */
  put(worker_id: number, card: SpoolCard): void {
    if (this.copy?.worker_id !== worker_id) return;
    const cards = new Map(this.copy.cards);
    if (isWorkable(card)) cards.set(card.tag_spool, card);
    else if (!cards.delete(card.tag_spool)) return;
    this.publish({ ...this.copy, cards });
    const part = partOf(card.tag_spool);
    const besides = [...cards.values()].filter(({ tag_spool }) => partOf(tag_spool) === part);
    void this.stored.change<true>(["copies", "cards"], (store, finish) => {
      store("cards").delete([worker_id, part]);
      for (const changed of recordsOf(worker_id, besides)) store("cards").put(changed);
      const record = this.record();
      if (record) store("copies").put(record);
      finish(true);
    }, "relaxed");
  }

  /** Forgets the copies of everybody on this tablet. False: the database refused; `wipeRest` tries again. */
  async wipe(): Promise<boolean> {
    this.wipes += 1;
    this.refreshing = null;
    this.etag = null;
    this.publish(null);
    const done = await this.stored.change<true>(["copies", "cards"], (store, finish) => {
      store("copies").clear();
      store("cards").clear();
      finish(true);
    });
    this.isUnwiped = done !== true;
    return !this.isUnwiped;
  }

  /** A person wants nothing kept here: it is not fetched again before `start`. */
  stopAndWipe(): Promise<boolean> {
    this.small.set(STOPPED, "1");
    return this.wipe();
  }

  /** Somebody comes to the tablet anew. */
  start(): void {
    this.small.remove(STOPPED);
  }

  /** Deletes what the database refused to delete before. */
  wipeRest(): void {
    if (this.isUnwiped) void this.wipe();
  }

  private record(): CopyRecord | null {
    if (!this.copy) return null;
    const { worker_id, seenAt, leftOut, armOnly } = this.copy;
    return { worker_id, seenAt, leftOut, armOnly: [...armOnly], etag: this.etag };
  }

  private async storeRecord(): Promise<void> {
    const record = this.record();
    if (!record) return;
    await this.stored.change<true>(["copies"], (store, finish) => {
      store("copies").put(record);
      finish(true);
    }, "relaxed");
  }

  private async storeAll(): Promise<void> {
    const record = this.record();
    const cards = [...(this.copy?.cards.values() ?? [])];
    if (!record) return;
    void askToPersist();
    await this.stored.change<true>(["copies", "cards"], (store, finish) => {
      const { worker_id } = record;
      store("cards").delete(rangeOf(worker_id));
      for (const part of recordsOf(worker_id, cards)) store("cards").put(part);
      store("copies").put(record);
      const everybody = store("copies").getAll() as IDBRequest<CopyRecord[]>;
      everybody.onsuccess = () => {
        const others = everybody.result.filter((one) => one.worker_id !== worker_id).sort((a, b) => b.seenAt - a.seenAt);
        for (const { worker_id: old } of others.slice(PEOPLE_MAX - 1)) {
          store("copies").delete(old);
          store("cards").delete(rangeOf(old));
        }
        finish(true);
      };
    }, "relaxed");
  }

  private publish(copy: OfflineCopy | null): void {
    this.copy = copy;
    for (const listener of this.listeners) listener();
  }
}

export const offlineCopy = new CopyKeeper(database);
