import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { isIdle, REPORT_EVERY_MS, UseReporter } from "./idle";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a screen that nobody touches", () => {
  it("locks after the time that the server says, also when the tablet's clock was put back", () => {
    expect(isIdle(0, 299_999, 300_000)).toBe(false);
    expect(isIdle(0, 300_000, 300_000)).toBe(true);
    expect(isIdle(900_000, 500_000, 300_000)).toBe(true);
  });
});

describe("the server hears of touches", () => {
  it("at once, then at most once a minute, and of the last one too", () => {
    const report = vi.fn();
    const reporter = new UseReporter(report);
    reporter.touched();
    expect(report).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(20_000);
    reporter.touched();
    reporter.touched();
    expect(report).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(REPORT_EVERY_MS);
    expect(report).toHaveBeenCalledTimes(2);
    vi.advanceTimersByTime(10 * REPORT_EVERY_MS);
    expect(report).toHaveBeenCalledTimes(2); // nobody touched it since
  });

  it("not any more once the screen is locked", () => {
    const report = vi.fn();
    const reporter = new UseReporter(report);
    reporter.touched();
    reporter.touched();
    reporter.stop();
    vi.advanceTimersByTime(REPORT_EVERY_MS);
    expect(report).toHaveBeenCalledTimes(1);
  });
});
