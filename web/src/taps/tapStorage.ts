// Stores the taps so that they survive a reload. Each tap is one entry of the browser's storage: two tabs never overwrite
// each other's taps.
import type { TabletStorage } from "@/storage/storage";
import { isTap, type Tap } from "./tap";

const PREFIX = "carrete.tap.";

export interface TapStorage {
  /** Oldest first. */
  all(): Tap[];
  save(tap: Tap): void;
  remove(key: string): void;
}

/** A full or forbidden storage means that a reload loses the tap; the tap itself is sent all the same. */
export function tapStorageIn(storage: Pick<TabletStorage, "get" | "set" | "remove" | "names">): TapStorage {
  return {
    all: () => {
      const entries = storage
        .names()
        .filter((name) => name.startsWith(PREFIX))
        .map((name) => parse(storage.get(name)));
      return entries.filter(isTap).sort((a, b) => a.at - b.at);
    },
    save: (tap) => storage.set(PREFIX + tap.key, JSON.stringify(tap)),
    remove: (key) => storage.remove(PREFIX + key),
  };
}

/** The key of the tap that an entry of the storage holds; null for other entries. */
export const tapKeyOf = (name: string | null): string | null =>
  name?.startsWith(PREFIX) ? name.slice(PREFIX.length) : null;

function parse(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
}
