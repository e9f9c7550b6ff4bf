// Where taps survive a reload: one entry of the browser's storage each, so that two tabs never overwrite each other's.
import type { TabletStorage } from "@/storage/storage";
import { isTap, type Tap } from "./tap";

const PREFIX = "carrete.tap.";

export interface Shelf {
  all(): Tap[];
  keep(tap: Tap): void;
  forget(key: string): void;
}

/** A full or forbidden storage costs the survival of a reload, never the tap. */
export function shelfIn(storage: Pick<TabletStorage, "get" | "keep" | "remove" | "names">): Shelf {
  return {
    all: () => {
      const found = storage
        .names()
        .filter((name) => name.startsWith(PREFIX))
        .map((name) => parsed(storage.get(name)));
      return found.filter(isTap).sort((a, b) => a.at - b.at);
    },
    keep: (tap) => storage.keep(PREFIX + tap.key, JSON.stringify(tap)),
    forget: (key) => storage.remove(PREFIX + key),
  };
}

/** The key of the tap that an entry of the storage holds; null for other entries. */
export const keyOf = (name: string | null): string | null =>
  name?.startsWith(PREFIX) ? name.slice(PREFIX.length) : null;

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return null;
  }
}
