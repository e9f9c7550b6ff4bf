import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { Refresher } from "./refresher";

describe("reading anew", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it("begins at once, and once more after the last of many changes", async () => {
    const reads: string[] = [];
    let state = "a";
    const refresher = new Refresher(() => Promise.resolve(void reads.push(state)));
    refresher.start();
    refresher.request();
    expect(reads).toEqual(["a"]);
    for (state of ["b", "c", "d"]) refresher.request();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(reads).toEqual(["a", "d"]);
  });

  it("is never two at a time, however slow the server", async () => {
    let open = 0;
    let most = 0;
    const refresher = new Refresher(async () => {
      most = Math.max(most, ++open);
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      open--;
    });
    refresher.start();
    for (let i = 0; i < 100; i++) {
      refresher.request();
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(most).toBe(1);
  });

  it("stops with its screen", async () => {
    const read = vi.fn(() => Promise.resolve());
    const refresher = new Refresher(read);
    refresher.start();
    refresher.request();
    refresher.request();
    refresher.stop();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(read).toHaveBeenCalledTimes(1);
  });
});
