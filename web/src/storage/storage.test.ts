import { describe, expect, it, vi } from "vitest";

import { TabletStorage } from "./storage";

/** A browser's storage whose values may have up to `room` characters. */
function browser(room = Infinity) {
  const entries = new Map<string, string>();
  return {
    entries,
    get length() {
      return entries.size;
    },
    key: (i: number) => [...entries.keys()][i] ?? null,
    getItem: (name: string) => entries.get(name) ?? null,
    setItem: (name: string, value: string) => {
      if (value.length > room) throw new DOMException("full", "QuotaExceededError");
      entries.set(name, value);
    },
    removeItem: (name: string) => void entries.delete(name),
  };
}
const forbidden = (): never => {
  throw new DOMException("denied", "SecurityError");
};

describe("what a tablet keeps", () => {
  it("is in the browser, and only there", () => {
    const fake = browser();
    const storage = new TabletStorage(() => fake);
    storage.set("a", "1");
    expect(fake.entries).toEqual(new Map([["a", "1"]]));
    expect([storage.get("a"), storage.names(), storage.isVolatile()]).toEqual(["1", ["a"], false]);
    fake.entries.set("a", "2"); // another tab
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
    storage.set("a", "1");
    expect([storage.get("a"), storage.get("b"), storage.names(), storage.isVolatile()]).toEqual(["1", null, ["a"], true]);
    storage.remove("a");
    expect([storage.get("a"), storage.names()]).toEqual([null, []]);
  });

  it("is in memory where it does not fit, and leaves no older value behind", () => {
    const fake = browser(10);
    const storage = new TabletStorage(() => fake);
    const onChange = vi.fn();
    storage.subscribe(onChange);
    storage.set("worker", "old");
    expect(storage.isVolatile()).toBe(false);
    storage.set("worker", "x".repeat(11));
    storage.set("other", "y".repeat(11));
    expect([storage.get("worker"), fake.entries.size, storage.isVolatile()]).toEqual(["x".repeat(11), 0, true]);
    expect(onChange).toHaveBeenCalledTimes(1);
    storage.set("worker", "new"); // there is room again
    expect([storage.get("worker"), fake.entries.get("worker")]).toEqual(["new", "new"]);
  });
});
