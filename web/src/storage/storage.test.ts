import { describe, expect, it, vi } from "vitest";

import { TabletStorage } from "./storage";

/** As a browser's, with as much room as given. */
function browser(room = Infinity) {
  const kept = new Map<string, string>();
  return {
    kept,
    get length() {
      return kept.size;
    },
    key: (i: number) => [...kept.keys()][i] ?? null,
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => {
      if (value.length > room) throw new DOMException("full", "QuotaExceededError");
      kept.set(name, value);
    },
    removeItem: (name: string) => void kept.delete(name),
  };
}
const forbidden = (): never => {
  throw new DOMException("denied", "SecurityError");
};

describe("what a tablet keeps", () => {
  it("is in the browser, and only there", () => {
    const found = browser();
    const storage = new TabletStorage(() => found);
    storage.keep("a", "1");
    expect(found.kept).toEqual(new Map([["a", "1"]]));
    expect([storage.get("a"), storage.names(), storage.isForgetful()]).toEqual(["1", ["a"], false]);
    found.kept.set("a", "2"); // another tab
    expect(storage.get("a")).toBe("2");
    storage.remove("a");
    expect([storage.get("a"), storage.names()]).toEqual([null, []]);
  });

  it.each([
    ["forbidden", forbidden],
    ["absent", () => undefined as unknown as Storage],
    ["null", () => null as unknown as Storage],
  ])("is in memory where the browser's storage is %s", (_, browsers) => {
    const storage = new TabletStorage(browsers);
    storage.keep("a", "1");
    expect([storage.get("a"), storage.get("b"), storage.names(), storage.isForgetful()]).toEqual(["1", null, ["a"], true]);
    storage.remove("a");
    expect([storage.get("a"), storage.names()]).toEqual([null, []]);
  });

  it("is in memory where it does not fit, and leaves no older value behind", () => {
    const found = browser(10);
    const storage = new TabletStorage(() => found);
    const told = vi.fn();
    storage.watch(told);
    storage.keep("worker", "old");
    expect(storage.isForgetful()).toBe(false);
    storage.keep("worker", "x".repeat(11));
    storage.keep("other", "y".repeat(11));
    expect([storage.get("worker"), found.kept.size, storage.isForgetful()]).toEqual(["x".repeat(11), 0, true]);
    expect(told).toHaveBeenCalledTimes(1);
    storage.keep("worker", "new"); // there is room again
    expect([storage.get("worker"), found.kept.get("worker")]).toEqual(["new", "new"]);
  });
});
