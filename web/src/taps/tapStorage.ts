// Stores the taps so that they survive a reload and a killed browser: in the tablet's database, or, where the browser has none, in
// its smaller storage. Each tap is one entry: two tabs never overwrite each other's taps.
import type { TabletDatabase } from "@/storage/database";
import type { TabletStorage } from "@/storage/storage";
import { byOrder, isTap, type Tap } from "./tap";

const PREFIX = "carrete.tap.";

type SmallStorage = Pick<TabletStorage, "get" | "set" | "remove" | "names">;

export interface StoredTaps {
  /** Oldest first. */
  taps: Tap[];
  /** False: the tablet's database could not be read, and may hold more. */
  whole: boolean;
}

export interface TapStorage {
  all(): Promise<StoredTaps>;
  /** Resolves when it is stored. False: it is only in this page's memory. */
  save(tap: Tap): Promise<boolean>;
  /** Changes a tap that is still there; `sent` stays true once it was. */
  update(tap: Tap): Promise<void>;
  /** Replaces a chain that was never sent by a longer one; `late`: another tab has sent or finished it. */
  replace(key: string, tap: Tap): Promise<"stored" | "memory" | "late">;
  /** Before the first sending; false: another tab has finished it or made it longer. */
  markSent(key: string): Promise<boolean>;
  remove(key: string): Promise<void>;
}

/** In the browser's smaller storage. A full or forbidden one means that a reload loses the tap; it is sent all the same. */
export function tapStorageIn(storage: SmallStorage, isVolatile: () => boolean = () => false): TapStorage {
  const get = (key: string): Tap | null => {
    const found = parse(storage.get(PREFIX + key));
    return isTap(found) ? found : null;
  };
  const put = (tap: Tap): void => storage.set(PREFIX + tap.key, JSON.stringify(tap));
  return {
    all: () => {
      const names = storage.names().filter((name) => name.startsWith(PREFIX));
      return Promise.resolve({ taps: inOrder(names.map((name) => parse(storage.get(name)))), whole: true });
    },
    save: (tap) => {
      put(tap);
      return Promise.resolve(!isVolatile());
    },
    update: (tap) => {
      const found = get(tap.key);
      if (found) put(withSent(tap, found));
      return Promise.resolve();
    },
    replace: (key, tap) => {
      const found = get(key);
      if (!found || found.sent !== false) return Promise.resolve("late");
      put(tap);
      storage.remove(PREFIX + key);
      return Promise.resolve(isVolatile() ? "memory" : "stored");
    },
    markSent: (key) => {
      const found = get(key);
      if (found) put({ ...found, sent: true });
      return Promise.resolve(found !== null);
    },
    remove: (key) => {
      storage.remove(PREFIX + key);
      return Promise.resolve();
    },
  };
}

/** In the database; what it refuses goes into the smaller storage, where an older version of this app kept all of them. That one
 * survives a reload, but browsers write it to disk seconds later: a tap in it is not called stored. */
export function tapStorageInBoth(database: TabletDatabase, small: TapStorage): TapStorage {
  const changeFound = <Result>(key: string, work: (found: Tap | null, store: IDBObjectStore) => Result) =>
    database.change<Result>(["taps"], (store, finish) => {
      const read = store("taps").get(key);
      read.onsuccess = () => finish(work(isTap(read.result) ? read.result : null, store("taps")));
    });
  return {
    all: async () => {
      const read = await database.read<unknown[]>(["taps"], (store, finish) => {
        const all = store("taps").getAll() as IDBRequest<unknown[]>;
        all.onsuccess = () => finish(all.result);
      });
      return { taps: inOrder([...(read ?? []), ...(await small.all()).taps]), whole: read !== undefined || database.isAbsent() };
    },
    save: async (tap) => {
      const stored = await database.change<true>(["taps"], (store, finish) => {
        store("taps").put(tap);
        finish(true);
      });
      if (stored) return true;
      await small.save(tap);
      return false;
    },
    update: async (tap) => {
      const found = await changeFound(tap.key, (before, store) => {
        if (before) store.put(withSent(tap, before));
        return before !== null;
      });
      if (!found) await small.update(tap);
    },
    replace: async (key, tap) => {
      const done = await changeFound(key, (before, store) => {
        if (!before) return "absent";
        if (before.sent !== false) return "late";
        store.delete(key);
        store.put(tap);
        return "stored";
      });
      if (done === "stored" || done === "late") return done;
      return (await small.replace(key, tap)) === "late" ? "late" : "memory";
    },
    markSent: async (key) => {
      const found = await changeFound(key, (before, store) => {
        if (before) store.put({ ...before, sent: true });
        return before !== null;
      });
      return found === true || (await small.markSent(key)) || found === undefined; // refused: it is sent all the same
    },
    remove: async (key) => {
      await small.remove(key);
      await database.change<true>(["taps"], (store, finish) => {
        store("taps").delete(key);
        finish(true);
      });
    },
  };
}

const withSent = (tap: Tap, before: Tap): Tap => (before.sent === true ? { ...tap, sent: true } : tap);

function inOrder(found: readonly unknown[]): Tap[] {
  const byKey = new Map(found.filter(isTap).map((tap) => [tap.key, tap]));
  return [...byKey.values()].sort(byOrder);
}

/** The key of the tap that an entry of the smaller storage holds; null for other entries. */
export const tapKeyOf = (name: string | null): string | null =>
  name?.startsWith(PREFIX) ? name.slice(PREFIX.length) : null;

function parse(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
}
