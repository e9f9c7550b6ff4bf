// The keys that sign taps, one for each session of a person on this tablet, with the number of the session's next tap. IndexedDB
// keeps a key without letting the page read it; where the browser has no IndexedDB, keys stay in memory until the page is closed.

export interface TapKey {
  readonly session: string;
  /** Null: destroyed at the sign-out. The record stays until the server has heard of it. */
  readonly key: CryptoKey | null;
  /** Null: this tablet never had the key of that session. */
  readonly next: number | null;
}

type Change = (found: TapKey | undefined) => TapKey | null | undefined;

const STORE = "tap-keys";
const OPEN_MS_MAX = 2_000;

export class TapKeys {
  private readonly memory = new Map<string, TapKey>();
  private database: Promise<IDBDatabase | null> | undefined;

  /** `factory` is called at first use: merely naming `indexedDB` may throw. */
  constructor(private readonly factory: () => IDBFactory | null | undefined) {}

  async save(session: string, key: CryptoKey): Promise<void> {
    await this.change(session, () => ({ session, key, next: 1 }));
  }

  /** The key and the next number, which is used up; null: this session has no key here. */
  async take(session: string): Promise<{ key: CryptoKey; number: number } | null> {
    const record = await this.change(session, (found) => (found?.key ? { ...found, next: (found.next ?? 1) + 1 } : undefined));
    return record?.key && record.next ? { key: record.key, number: record.next - 1 } : null;
  }

  /** Destroys the key; answers the number of the last tap that it signed, null where nothing is known of this session. When this
   * resolves, a killed browser cannot bring the session back. */
  async destroy(session: string): Promise<number | null> {
    const record = await this.change(session, (found) => ({ session, next: found?.next ?? null, key: null }), "strict");
    return record?.next ? record.next - 1 : null;
  }

  /** The sessions whose keys were destroyed and not forgotten yet. */
  async destroyed(): Promise<string[]> {
    const database = await this.opened();
    const stored = database ? await allIn(database) : [];
    return [...stored, ...this.memory.values()].filter(({ key }) => key === null).map(({ session }) => session);
  }

  async forget(session: string): Promise<void> {
    await this.change(session, () => null);
  }

  /** Reads and replaces a record in one transaction, so that two tabs never use a number twice. Undefined leaves it as it is. */
  private async change(session: string, change: Change, durability?: IDBTransactionDurability): Promise<TapKey | null> {
    const database = this.memory.has(session) ? null : await this.opened();
    const changed = database && (await changeIn(database, session, change, durability));
    return changed === undefined || database === null ? this.changeInMemory(session, change) : changed;
  }

  private changeInMemory(session: string, change: Change): TapKey | null {
    const found = this.memory.get(session);
    const changed = change(found);
    if (changed) this.memory.set(session, changed);
    else if (changed === null) this.memory.delete(session);
    return changed ?? null;
  }

  private opened(): Promise<IDBDatabase | null> {
    return (this.database ??= openDatabase(this.factory));
  }
}

/** Undefined: the database refused. */
async function changeIn(
  database: IDBDatabase,
  session: string,
  change: Change,
  durability: IDBTransactionDurability = "default",
): Promise<TapKey | null | undefined> {
  try {
    return await new Promise<TapKey | null>((resolve, reject) => {
      const transaction = database.transaction(STORE, "readwrite", { durability });
      const store = transaction.objectStore(STORE);
      const read = store.get(session) as IDBRequest<TapKey | undefined>;
      let changed: TapKey | null | undefined;
      read.onsuccess = () => {
        changed = change(read.result);
        if (changed) store.put(changed);
        else if (changed === null) store.delete(session);
      };
      transaction.oncomplete = () => resolve(changed ?? null);
      transaction.onabort = transaction.onerror = () => reject(new Error("the database refused"));
    });
  } catch {
    return undefined;
  }
}

/** None where the database refuses. */
function allIn(database: IDBDatabase): Promise<TapKey[]> {
  return new Promise((resolve) => {
    try {
      const read = database.transaction(STORE).objectStore(STORE).getAll() as IDBRequest<TapKey[]>;
      read.onsuccess = () => resolve(read.result);
      read.onerror = () => resolve([]);
    } catch {
      resolve([]);
    }
  });
}

function openDatabase(factory: () => IDBFactory | null | undefined): Promise<IDBDatabase | null> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(null), OPEN_MS_MAX);
    try {
      const request = factory()?.open("carrete", 1);
      if (!request) {
        resolve(null);
        return;
      }
      request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: "session" });
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => resolve(null);
    } catch {
      resolve(null);
    }
  });
}

export const tapKeys = new TapKeys(() => globalThis.indexedDB);
