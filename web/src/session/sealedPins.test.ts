import { describe, expect, it, vi } from "vitest";

import { SealedPins, VERDICT_KEPT_MS, type SealedPin, type SealStorage, type Verdict } from "./sealedPins";

/** What is on the disk; a write takes effect when the test lets it. */
class Disk implements SealStorage {
  readonly seals = new Map<string, SealedPin>();
  private readonly writing: (() => void)[] = [];
  slow = false;

  all = (): Promise<SealedPin[]> => Promise.resolve([...this.seals.values()]);
  save = (seal: SealedPin): Promise<void> =>
    new Promise((resolve) => {
      this.writing.push(() => {
        this.seals.set(seal.id, seal);
        resolve();
      });
      if (!this.slow) this.write();
    });
  remove = (id: string): Promise<void> => Promise.resolve(void this.seals.delete(id));
  write = (): void => this.writing.splice(0).forEach((each) => each());
}

function setUp(...verdicts: (Verdict | "later")[]) {
  const disk = new Disk();
  const asked: string[] = [];
  const check = (sellado: string): Promise<Verdict | "later"> => {
    asked.push(sellado);
    return Promise.resolve(verdicts.shift() ?? "later");
  };
  const page = (now: () => number = Date.now): { pins: SealedPins; heard: ReturnType<typeof vi.fn> } => {
    const pins = new SealedPins(disk, check, now);
    const heard = vi.fn();
    pins.onChange(heard);
    return { pins, heard };
  };
  return { disk, asked, page, ...page() };
}

describe("a PIN that was typed without a connection", () => {
  it("is kept when it is on the disk, not before: the screen opens only then", async () => {
    const { disk, pins } = setUp();
    disk.slow = true;
    const kept = vi.fn();
    void pins.keep("a", "sealed").then(kept);
    await Promise.resolve();
    expect(kept).not.toHaveBeenCalled();
    disk.write();
    await vi.waitFor(() => expect(kept).toHaveBeenCalled());
  });

  it("is still to be checked after the browser was killed", async () => {
    const { pins, page, asked } = setUp("right");
    await pins.keep("a", "sealed");
    const after = page();
    await after.pins.load();
    expect([...after.pins.open()]).toEqual(["a"]);
    await after.pins.send();
    expect(asked).toEqual(["sealed"]);
    expect(after.heard).toHaveBeenLastCalledWith("a", "right");
  });

  it.each(["right", "wrong"] as const)("that was %s is so on the disk before anybody hears of it, without the PIN", async (verdict) => {
    const { disk, pins, heard, page } = setUp(verdict);
    await pins.keep("a", "sealed");
    heard.mockImplementation(() => expect(disk.seals.get("a")).toMatchObject({ verdict, sellado: null }));
    await pins.send();
    expect(heard).toHaveBeenCalledOnce();
    const after = page();
    await after.pins.load();
    expect([after.pins.open().size, after.pins.right().has("a")]).toEqual([0, verdict === "right"]);
    expect(after.heard).toHaveBeenCalledWith("a", verdict);
  });

  it("without an answer is sent again, and those after it wait", async () => {
    const { pins, asked } = setUp("later", "wrong", "right");
    await pins.keep("a", "first");
    await pins.keep("b", "second");
    await pins.send();
    expect(asked).toEqual(["first"]);
    await pins.send();
    expect(asked).toEqual(["first", "first", "second"]);
    expect([...pins.right()]).toEqual(["b"]);
  });

  it("that another tab has sent is not sent from here, and its verdict is heard here", async () => {
    const { pins, page, asked, heard } = setUp("wrong");
    await pins.keep("a", "sealed");
    const other = page();
    await other.pins.send();
    await pins.send();
    expect(asked).toEqual(["sealed"]);
    expect(heard).toHaveBeenCalledWith("a", "wrong");
  });

  it("is forgotten a week after its verdict, never before it", async () => {
    const { pins, page, disk } = setUp("right", "later", "later");
    await pins.keep("a", "first");
    await pins.send();
    await pins.keep("b", "second");
    const later = page(() => Date.now() + VERDICT_KEPT_MS + 1);
    await later.pins.send();
    expect([...disk.seals.keys()]).toEqual(["b"]);
    expect([later.pins.right().size, [...later.pins.open()]]).toEqual([0, ["b"]]);
  });
});
