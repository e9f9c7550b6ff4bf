// The database of this tablet for the time without a connection: the taps that wait, the sealed PINs, and the copy of the spools. A
// change counts as stored when its transaction is complete; for taps and PINs with strict durability: the tablet may be switched off at
// any moment after that.

export type StoreName = "taps" | "seals" | "cards" | "copies" | "photos" | "receipts";
type KeyPaths = Partial<Record<StoreName, string | string[]>>;

const NAME = "carrete-offline";
const VERSION = 2; // 1 had no seals
const OPEN_MS_MAX = 2_000;
const KEY_PATHS: KeyPaths = {
  taps: "key",
  seals: "id",
  cards: ["worker_id", "part"],
  copies: "worker_id",
};

type Finish<Result> = (result: Result) => void;
type Work<Result> = (store: (name: StoreName) => IDBObjectStore, finish: Finish<Result>) => void;

export class TabletDatabase {
  private opening: Opening | undefined;
  private refused = false;
  private readonly listeners = new Set<() => void>();
  private readonly lateListeners = new Set<() => void>();

  /** `factory` is called at first use: merely naming `indexedDB` may throw. */
  constructor(
    private readonly factory: () => IDBFactory | null | undefined,
    private readonly name = NAME,
    private readonly keyPaths = KEY_PATHS,
  ) {}

  /** Whether this browser has no database at all, as in some private windows. */
  isAbsent(): boolean {
    try {
      return !this.factory();
    } catch {
      return true;
    }
  }

  /** The browser refused to store something. Stays true until something is stored again. */
  readonly isVolatile = (): boolean => this.refused;

  /** For useSyncExternalStore. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** The database took so long to open that reads went without it. It is there now: what it holds can be read. */
  readonly onOpenedLate = (listener: () => void): (() => void) => {
    this.lateListeners.add(listener);
    return () => this.lateListeners.delete(listener);
  };

  /** What `work` finished with, after the transaction is complete; undefined when the browser refused. */
  async change<Result>(names: StoreName[], work: Work<Result>, durability: IDBTransactionDurability = "strict"): Promise<Result | undefined> {
    const result = await this.transact(names, "readwrite", work, durability);
    this.setRefused(result === undefined);
    return result;
  }

  async read<Result>(names: StoreName[], work: Work<Result>): Promise<Result | undefined> {
    return this.transact(names, "readonly", work, "relaxed");
  }

  private async transact<Result>(
    names: StoreName[],
    mode: IDBTransactionMode,
    work: Work<Result>,
    durability: IDBTransactionDurability,
  ): Promise<Result | undefined> {
    const database = await this.opened();
    if (!database) return undefined;
    try {
      return await new Promise<Result | undefined>((resolve, reject) => {
        const transaction = database.transaction(names, mode, { durability });
        let result: Result | undefined;
        transaction.oncomplete = () => resolve(result);
        transaction.onabort = transaction.onerror = () => reject(new Error("the database refused"));
        work((name) => transaction.objectStore(name), (finished) => (result = finished));
      });
    } catch {
      this.opening = undefined; // it may have been closed or deleted; the next use opens it anew
      return undefined;
    }
  }

  /** Null when the browser refuses, and for now when it takes long: nobody waits for a slow disk, but it is used once it is there. */
  private opened(): Promise<IDBDatabase | null> {
    if (this.opening) return this.opening.inTime;
    const done = open(this.factory, this.name, this.keyPaths, () => (this.opening = undefined));
    const opening: Opening = { inTime: Promise.race([done, afterLong()]) };
    this.opening = opening;
    void done.then((database) => this.openedAtLast(opening, database));
    return opening.inTime;
  }

  private async openedAtLast(opening: Opening, database: IDBDatabase | null): Promise<void> {
    const isLate = (await opening.inTime) === null;
    if (this.opening !== opening) return;
    if (!database) this.opening = undefined; // the next use tries again
    else if (isLate) {
      this.opening = { inTime: Promise.resolve(database) };
      for (const listener of this.lateListeners) listener();
    }
  }

  private setRefused(refused: boolean): void {
    if (refused === this.refused) return;
    this.refused = refused;
    for (const listener of this.listeners) listener();
  }
}

interface Opening {
  inTime: Promise<IDBDatabase | null>;
}

const afterLong = (): Promise<null> => new Promise((resolve) => setTimeout(() => resolve(null), OPEN_MS_MAX));

function open(
  factory: () => IDBFactory | null | undefined,
  name: string,
  keyPaths: KeyPaths,
  onClosed: () => void,
): Promise<IDBDatabase | null> {
  return new Promise((resolve) => {
    try {
      const request = factory()?.open(name, VERSION);
      if (!request) {
        resolve(null);
        return;
      }
      request.onupgradeneeded = () => {
        const { result } = request;
        const missing = Object.entries(keyPaths).filter(([store]) => !result.objectStoreNames.contains(store));
        for (const [store, keyPath] of missing) result.createObjectStore(store, { keyPath });
      };
      request.onsuccess = () => {
        const database = request.result;
        if (Object.keys(keyPaths).some((store) => !database.objectStoreNames.contains(store))) {
          database.close();
          factory()?.deleteDatabase(name); // not made by this app: the next use makes it anew
          onClosed();
          resolve(null);
          return;
        }
        database.onclose = onClosed;
        database.onversionchange = () => {
          database.close(); // a newer version of the app in another tab must not wait for this one
          onClosed();
        };
        resolve(database);
      };
      request.onerror = () => resolve(null);
    } catch {
      resolve(null);
    }
  });
}

export const database = new TabletDatabase(() => globalThis.indexedDB);

let asked = false;

/** Asks the browser, once, not to throw the database away when the disk is nearly full. */
export async function askToPersist(): Promise<void> {
  if (asked) return;
  asked = true;
  try {
    const manager = (navigator as { storage?: StorageManager }).storage;
    if (manager && !(await manager.persisted())) await manager.persist();
  } catch {
    // It stays as it is: stored until the browser needs the room.
  }
}
