import { afterEach, describe, expect, it, vi } from "vitest";
import { newKey } from "./key";

afterEach(() => void vi.useRealTimers());

describe("a new key", () => {
  it("is different each time, also within one millisecond", () => {
    vi.useFakeTimers({ now: 1_700_000_000_000 });
    const keys = Array.from({ length: 1000 }, newKey);
    expect(new Set(keys).size).toBe(1000);
    expect(keys.every((key) => /^[0-9a-f]{32}$/.test(key))).toBe(true);
  });

  it("sorts after the keys that were made before", () => {
    vi.useFakeTimers({ now: 1_700_000_000_000 });
    const before = newKey();
    vi.advanceTimersByTime(1);
    expect(newKey() > before).toBe(true);
  });

  it("has the same length whatever a tablet takes for the time", () => {
    vi.useFakeTimers({ now: 0 });
    expect(newKey()).toHaveLength(32);
  });
});
