import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { TabletDatabase } from "./database";

/** A browser's database with one entry, which opens when the test says so. */
function slowBrowser() {
  const requests: { result?: unknown; onsuccess?: () => void; onerror?: () => void }[] = [];
  const database = {
    objectStoreNames: { contains: () => true },
    transaction: () => {
      const transaction: { oncomplete?: () => void } = {};
      queueMicrotask(() => transaction.oncomplete?.());
      return transaction;
    },
  };
  const factory = {
    open: () => {
      const request = {};
      requests.push(request);
      return request;
    },
  } as unknown as IDBFactory;
  const opens = (): void => {
    const request = requests.at(-1);
    if (request) request.result = database;
    request?.onsuccess?.();
  };
  return { tablet: new TabletDatabase(() => factory), requests, opens, refuses: () => requests.at(-1)?.onerror?.() };
}

const read = (tablet: TabletDatabase): Promise<string | undefined> => tablet.read<string>(["taps"], (_store, finish) => finish("found"));

describe("a database that opens slowly", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("is read as soon as it is open", async () => {
    const { tablet, opens } = slowBrowser();
    const late = vi.fn();
    tablet.onOpenedLate(late);
    const found = read(tablet);
    opens();
    expect(await found).toBe("found");
    await vi.runAllTimersAsync();
    expect(late).not.toHaveBeenCalled();
  });

  it("is not waited for, tells when it is there, and is used from then on", async () => {
    const { tablet, requests, opens } = slowBrowser();
    const late = vi.fn();
    tablet.onOpenedLate(late);
    const found = read(tablet);
    await vi.runAllTimersAsync();
    expect(await found).toBeUndefined();
    expect(await tablet.change(["taps"], (_store, finish) => finish(true))).toBeUndefined();
    expect(tablet.isVolatile()).toBe(true);
    opens();
    await vi.runAllTimersAsync();
    expect(late).toHaveBeenCalledOnce();
    expect(await read(tablet)).toBe("found");
    expect(await tablet.change(["taps"], (_store, finish) => finish(true))).toBe(true);
    expect(tablet.isVolatile()).toBe(false);
    expect(requests).toHaveLength(1);
  });

  it("is asked for anew after the browser refused", async () => {
    const { tablet, requests, opens, refuses } = slowBrowser();
    const found = read(tablet);
    refuses();
    expect(await found).toBeUndefined();
    await vi.runAllTimersAsync();
    const again = read(tablet);
    expect(requests).toHaveLength(2);
    opens();
    expect(await again).toBe("found");
  });
});
