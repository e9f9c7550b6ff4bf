import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { openWhenSignedIn, takeAwaitingTag } from "./awaitingTag";

describe("a spool that waits for somebody to sign in", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("is opened once", () => {
    openWhenSignedIn("A");
    openWhenSignedIn("B");
    expect(takeAwaitingTag()).toBe("B");
    expect(takeAwaitingTag()).toBeNull();
  });

  it("is not opened for somebody who comes minutes later", () => {
    openWhenSignedIn("A");
    vi.advanceTimersByTime(120_001);
    expect(takeAwaitingTag()).toBeNull();
  });
});
