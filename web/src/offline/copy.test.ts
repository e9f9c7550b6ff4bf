import { describe, expect, it, vi } from "vitest";

import type { getOfflineCopy, OfflineAnswer } from "@/api/offline";
import type { SpoolCard } from "@/api/types";
import { CopyKeeper } from "./copy";

const card = (tag_spool: string, accion: "TOMAR" | "INSPECCIONAR" | null = "TOMAR"): SpoolCard =>
  ({ tag_spool, acciones: accion ? [{ accion, operacion: "ARM" }] : [] }) as unknown as SpoolCard;
const answer = (...cards: SpoolCard[]): OfflineAnswer => ({ spools: cards, faltan: 0, solo_arm: ["FW"], visto_en: "" });

/** A database that keeps nothing: what is stored, the tests in a browser look at. */
function setUp(...answers: Awaited<ReturnType<typeof getOfflineCopy>>[]) {
  const ask = vi.fn<typeof getOfflineCopy>(() => {
    const next = answers.shift();
    return next === undefined ? Promise.reject(new Error("cut")) : Promise.resolve(next);
  });
  const clock = { now: 1_000 };
  const stored = { read: () => Promise.resolve(undefined), change: vi.fn(() => Promise.resolve(undefined)) };
  const entries = new Map<string, string>();
  const small = { get: (name: string) => entries.get(name) ?? null, set: (name: string, value: string) => void entries.set(name, value), remove: (name: string) => void entries.delete(name) };
  const open = () => new CopyKeeper(stored, ask, () => clock.now, small);
  return { keeper: open(), open, ask, clock, stored };
}
const tags = (keeper: CopyKeeper): string[] => [...(keeper.current()?.cards.keys() ?? [])];

describe("the copy of a person's spools", () => {
  it("is what the server answered, also where the browser stores nothing", async () => {
    const { keeper, ask } = setUp({ copy: answer(card("A"), card("B")), etag: '"1"' });
    await keeper.refresh(93);
    expect(tags(keeper)).toEqual(["A", "B"]);
    expect(keeper.current()).toMatchObject({ worker_id: 93, seenAt: 1_000, armOnly: ["FW"] });
    expect(ask).toHaveBeenCalledWith(93, null);
  });

  it("is seen again, and not sent again, when nothing changed", async () => {
    const { keeper, ask, clock } = setUp({ copy: answer(card("A")), etag: '"1"' }, null);
    await keeper.refresh(93);
    clock.now = 61_000;
    await keeper.refresh(93);
    expect(ask).toHaveBeenLastCalledWith(93, '"1"');
    expect(keeper.current()?.seenAt).toBe(61_000);
    expect(tags(keeper)).toEqual(["A"]);
  });

  it("stays as old as it is when the server does not answer", async () => {
    const { keeper, clock } = setUp({ copy: answer(card("A")), etag: '"1"' });
    await keeper.refresh(93);
    clock.now = 61_000;
    await expect(keeper.refresh(93)).rejects.toThrow();
    expect(keeper.current()?.seenAt).toBe(1_000);
  });

  it("takes a card that was read meanwhile, and loses one on which nothing can be done", async () => {
    const { keeper, ask } = setUp({ copy: answer(card("A"), card("B")), etag: '"1"' }, null);
    await keeper.refresh(93);
    keeper.put(93, card("C"));
    keeper.put(93, card("A", null));
    keeper.put(93, card("D", "INSPECCIONAR")); // an inspection needs the server
    expect(tags(keeper)).toEqual(["B", "C"]);
    await keeper.refresh(93);
    expect(ask).toHaveBeenLastCalledWith(93, '"1"');
  });

  it("is one person's: another's cards do not get in, and another begins without one", async () => {
    const { keeper, ask } = setUp({ copy: answer(card("A")), etag: '"1"' }, { copy: answer(card("B")), etag: '"2"' });
    await keeper.refresh(93);
    keeper.put(7, card("C"));
    expect(tags(keeper)).toEqual(["A"]);
    await keeper.open(7);
    expect(keeper.current()).toBeNull();
    await keeper.refresh(7);
    expect(ask).toHaveBeenLastCalledWith(7, null);
    expect(tags(keeper)).toEqual(["B"]);
  });

  it("is read once, although both the start of the page and its screens ask for it", async () => {
    const read = vi.fn(() => Promise.resolve(undefined));
    const keeper = new CopyKeeper({ read, change: () => Promise.resolve(undefined) });
    await Promise.all([keeper.open(93), keeper.open(93)]);
    expect(read).toHaveBeenCalledTimes(1);
  });

  it("is gone when it is wiped", async () => {
    const { keeper } = setUp({ copy: answer(card("A")), etag: '"1"' });
    await keeper.refresh(93);
    await keeper.wipe();
    expect(keeper.current()).toBeNull();
  });

  it("does not come back with an answer that was under way when it was wiped", async () => {
    const { keeper, stored } = setUp({ copy: answer(card("A")), etag: '"1"' });
    await keeper.open(93);
    const late = keeper.refresh(93);
    await keeper.wipe();
    await late;
    expect(keeper.current()).toBeNull();
    expect(stored.change).toHaveBeenCalledTimes(1); // the wipe itself
  });

  it("that could not be deleted is not called deleted, and is deleted later", async () => {
    const { keeper, stored } = setUp();
    expect(await keeper.wipe()).toBe(false);
    stored.change.mockResolvedValue(true as never);
    keeper.wipeRest();
    await Promise.resolve();
    expect(stored.change).toHaveBeenCalledTimes(2);
    expect(await keeper.wipe()).toBe(true);
    keeper.wipeRest();
    expect(stored.change).toHaveBeenCalledTimes(3);
  });

  it("that a person deleted is not fetched again, also after a reload, before somebody comes anew", async () => {
    const { keeper, open, ask } = setUp({ copy: answer(card("A")), etag: '"1"' }, { copy: answer(card("A")), etag: '"1"' });
    await keeper.refresh(93);
    await keeper.stopAndWipe();
    await keeper.refresh(93);
    const reloaded = open();
    await reloaded.refresh(93);
    expect(ask).toHaveBeenCalledTimes(1);
    reloaded.start();
    await reloaded.refresh(93);
    expect(tags(reloaded)).toEqual(["A"]);
  });

  it("of the person before does not come back when its answer is late", async () => {
    const { keeper } = setUp({ copy: answer(card("A")), etag: '"1"' }, { copy: answer(card("B")), etag: '"2"' });
    await keeper.open(93);
    const late = keeper.refresh(93);
    await keeper.open(7);
    await Promise.all([late, keeper.refresh(7)]);
    expect(keeper.current()?.worker_id).toBe(7);
    expect(tags(keeper)).toEqual(["B"]);
  });

  it("that an older version of the app stored has what that version did not know", async () => {
    const { open, stored } = setUp();
    const record = { worker_id: 93, seenAt: 1_000, leftOut: 0, armOnly: [], etag: null };
    const cards = [{ worker_id: 93, part: 0, cards: JSON.stringify([card("A")]) }];
    stored.read = () => Promise.resolve({ record, cards } as never);
    const keeper = open();
    await keeper.open(93);
    expect(keeper.current()?.cards.get("A")).toMatchObject({ tag_spool: "A", notas: [], mas_notas: false, atraso: null });
  });
});
