import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

type Module = typeof import("./awaited");

/** The storage of a browser, as far as it is used; `full` makes it refuse. */
function storage(entries: Map<string, string>, full = false): Partial<Storage> {
  return {
    getItem: (name) => entries.get(name) ?? null,
    setItem: (name, value) => {
      if (full) throw new DOMException("full", "QuotaExceededError");
      entries.set(name, value);
    },
    removeItem: (name) => void entries.delete(name),
  };
}

/** The page as it is after a load. */
async function loaded(found: Partial<Storage>): Promise<Module> {
  vi.resetModules();
  vi.stubGlobal("localStorage", found);
  return import("./awaited");
}

const tags = (module: Module, worker_id: number): string[] => module.awaitedBy(worker_id).map(({ tag }) => tag);

describe("what a worker waits for", () => {
  let entries: Map<string, string>;
  beforeEach(() => void (entries = new Map()));
  afterEach(() => vi.unstubAllGlobals());

  it("is this worker's, once each, and survives a reload", async () => {
    const page = await loaded(storage(entries));
    page.awaitSpool(93, { tag: "A", operacion: "ARM" });
    page.awaitSpool(93, { tag: "A", operacion: "SOLD" });
    page.awaitSpool(7, { tag: "B", operacion: "ARM" });
    const again = await loaded(storage(entries));
    expect(again.awaitedBy(93)).toEqual([{ tag: "A", operacion: "SOLD" }]);
    expect(tags(again, 7)).toEqual(["B"]);
  });

  it("can be taken back, and then leaves nothing behind", async () => {
    const page = await loaded(storage(entries));
    page.awaitSpool(93, { tag: "A", operacion: "ARM" });
    page.stopAwaiting(93, "A");
    expect(tags(page, 93)).toEqual([]);
    expect(entries.size).toBe(0);
  });

  it("works where nothing can be kept", async () => {
    const page = await loaded(storage(entries, true));
    page.awaitSpool(93, { tag: "A", operacion: "ARM" });
    expect(tags(page, 93)).toEqual(["A"]);
  });

  it("has a bound: the oldest gives way", async () => {
    const page = await loaded(storage(entries));
    for (let n = 0; n <= page.AWAITED_MAX; n++) page.awaitSpool(93, { tag: `T${n}`, operacion: "ARM" });
    expect(tags(page, 93)).toHaveLength(page.AWAITED_MAX);
    expect(tags(page, 93)[0]).toBe("T1");
  });

  it("ignores what somebody else left in the storage", async () => {
    entries.set("carrete.awaited.93", JSON.stringify([null, { tag: 1 }, { tag: "A", operacion: "X" }, { tag: "B", operacion: "ARM" }]));
    const page = await loaded(storage(entries));
    expect(tags(page, 93)).toEqual(["B"]);
    entries.set("carrete.awaited.7", "{");
    expect(tags(page, 7)).toEqual([]);
  });
});
