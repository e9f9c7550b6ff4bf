import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { NoAnswerError, RefusedError } from "@/api/http";
import { iniciar } from "@/api/iniciar";
import { AUTO_RETRY_MS_MAX, SLOW_MS, TAPS_MAX, TapQueue } from "./queue";
import type { TapDetails, TapOutcome } from "./tap";
import { tapStorageIn } from "./tapStorage";

function memory() {
  const entries = new Map<string, string>();
  return {
    names: () => [...entries.keys()],
    get: (name: string) => entries.get(name) ?? null,
    set: (name: string, value: string) => void entries.set(name, value),
    remove: (name: string) => void entries.delete(name),
  };
}

const body = { tag_spool: "A", worker_id: 93, operacion: "ARM" } as const;
const about = (tag = "A"): TapDetails => ({ accion: "INICIAR", operacion: "ARM", tags: [tag], worker: "MR(93)" });
const soon = (): Promise<unknown> => vi.advanceTimersByTimeAsync(60_000);

/** A server that answers as scripted and remembers every key it was sent. */
function server(...script: (() => unknown)[]) {
  const keys: string[] = [];
  const post = async (_path: string, _body: unknown, key: string): Promise<unknown> => {
    keys.push(key);
    await Promise.resolve();
    return (script.shift() ?? (() => ({ success: true })))();
  };
  return { keys, post };
}
const lost = (): never => {
  throw new NoAnswerError("cut");
};
const no = (): never => {
  throw new RefusedError({ type: "about:blank", status: 409, code: "SPOOL_OCCUPIED", title: "", detail: "lo tiene JP(94)" });
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a tap", () => {
  it("is sent again with the same key until it is answered", async () => {
    const { keys, post } = server(lost, lost);
    const queue = new TapQueue(post, tapStorageIn(memory()));
    const outcome = queue.tap(iniciar, body, about());
    await soon();
    expect(await outcome).toEqual({ kind: "done", answer: { success: true } });
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect(queue.taps()).toEqual([]);
  });

  it("that was refused is not sent again", async () => {
    const { keys, post } = server(no);
    const outcome = await new TapQueue(post, tapStorageIn(memory())).tap(iniciar, body, about());
    expect(outcome).toMatchObject({ kind: "refused", problem: { code: "SPOOL_OCCUPIED" } });
    await soon();
    expect(keys).toHaveLength(1);
  });

  it("says unsent when the answer is lost and when it is slow", async () => {
    const queue = new TapQueue(() => new Promise(() => undefined), tapStorageIn(memory()));
    void queue.tap(iniciar, body, about());
    expect(queue.taps()[0]?.state).toBe("sending");
    await vi.advanceTimersByTimeAsync(SLOW_MS);
    expect(queue.taps()[0]?.state).toBe("unsent");
  });

  it("survives a reload under its key", async () => {
    const storage = memory();
    const before = server(lost);
    void new TapQueue(before.post, tapStorageIn(storage)).tap(iniciar, body, about());
    await vi.advanceTimersByTimeAsync(0);
    const after = server();
    const onOutcome = vi.fn();
    const queue = new TapQueue(after.post, tapStorageIn(storage));
    queue.onOutcome(onOutcome);
    await queue.restore();
    await vi.advanceTimersByTimeAsync(0);
    expect(after.keys).toEqual(before.keys);
    expect(onOutcome.mock.calls[0]?.[1]).toMatchObject({ kind: "done" });
    expect(storage.names()).toEqual([]);
  });

  it("of half an hour ago waits for a person", async () => {
    const storage = memory();
    void new TapQueue(server(lost).post, tapStorageIn(storage)).tap(iniciar, body, about());
    await vi.advanceTimersByTimeAsync(0);
    const { keys, post } = server();
    const queue = new TapQueue(post, tapStorageIn(storage), () => Date.now() + AUTO_RETRY_MS_MAX);
    await queue.restore();
    queue.retryAll();
    await soon();
    expect(keys).toEqual([]);
    queue.retry(queue.taps()[0]?.key ?? "");
    await soon();
    expect(keys).toHaveLength(1);
  });

  it("tapped twice is one tap", async () => {
    const { keys, post } = server();
    const queue = new TapQueue(post, tapStorageIn(memory()));
    await Promise.all([queue.tap(iniciar, body, about()), queue.tap(iniciar, body, about())]);
    expect(keys).toHaveLength(1);
  });

  it("tapped again after a reload is still the same tap", async () => {
    const storage = memory();
    const before = server(lost);
    void new TapQueue(before.post, tapStorageIn(storage)).tap(iniciar, body, about());
    await vi.advanceTimersByTimeAsync(0);
    const after = server(lost);
    const queue = new TapQueue(after.post, tapStorageIn(storage));
    await queue.restore();
    const outcome = queue.tap(iniciar, body, about());
    await soon();
    expect(await outcome).toMatchObject({ kind: "done" });
    expect(new Set([...before.keys, ...after.keys]).size).toBe(1);
  });

  it("that was dropped is never sent again", async () => {
    const { keys, post } = server(lost);
    const storage = memory();
    const queue = new TapQueue(post, tapStorageIn(storage));
    const outcome = queue.tap(iniciar, body, about());
    await vi.advanceTimersByTimeAsync(0);
    queue.drop(queue.taps()[0]?.key ?? "");
    await soon();
    expect(await outcome).toEqual({ kind: "dropped" });
    expect(keys).toHaveLength(1);
    expect(storage.names()).toEqual([]);
  });

  it("of somebody else, or with another sense, is a tap of its own", async () => {
    const { keys, post } = server(lost, lost, lost);
    const queue = new TapQueue(post, tapStorageIn(memory()));
    void queue.tap(iniciar, body, about());
    void queue.tap(iniciar, { ...body, worker_id: 7 }, { ...about(), worker: "LP(7)" });
    void queue.tap(iniciar, body, { ...about(), accion: "RECHAZAR" });
    await vi.advanceTimersByTimeAsync(0);
    expect(new Set(keys).size).toBe(3);
  });

  it("that another tab dropped or was answered about is not sent from here", async () => {
    const { keys, post } = server(lost);
    const queue = new TapQueue(post, tapStorageIn(memory()));
    const outcome = queue.tap(iniciar, body, about());
    await vi.advanceTimersByTimeAsync(0);
    queue.closeElsewhere(keys[0] ?? "");
    await soon();
    expect(await outcome).toEqual({ kind: "elsewhere" });
    expect(keys).toHaveLength(1);
  });

  it("that is on its way is heard, whatever another tab was told", async () => {
    const { keys, post } = server();
    const queue = new TapQueue(post, tapStorageIn(memory()));
    const outcome = queue.tap(iniciar, body, about());
    queue.closeElsewhere(keys[0] ?? "");
    expect(await outcome).toMatchObject({ kind: "done" });
  });

  it("seems old after the tablet's clock was put back, and waits for a person", async () => {
    const storage = memory();
    void new TapQueue(server(lost).post, tapStorageIn(storage)).tap(iniciar, body, about());
    await vi.advanceTimersByTimeAsync(0);
    const { keys, post } = server();
    void new TapQueue(post, tapStorageIn(storage), () => Date.now() - 5 * 3_600_000).restore();
    await soon();
    expect(keys).toEqual([]);
  });

  it("of another shape, left by an older version, is passed over", async () => {
    const storage = memory();
    storage.set("carrete.tap.old", JSON.stringify({ key: "old", path: "/api/x", at: 1, about: { tag: "A" } }));
    expect((await tapStorageIn(storage).all()).taps).toEqual([]);
  });

  it("is not accepted when too many wait", async () => {
    const queue = new TapQueue(() => new Promise(() => undefined), tapStorageIn(memory()));
    const outcomes: Promise<TapOutcome<unknown>>[] = [];
    for (let i = 0; i <= TAPS_MAX; i++) outcomes.push(queue.tap(iniciar, body, about(`T${i}`)));
    expect(await outcomes.at(-1)).toEqual({ kind: "full" });
    expect(queue.taps()).toHaveLength(TAPS_MAX);
  });

  it("tells everybody when the screen that asked is gone", async () => {
    const queue = new TapQueue(server(lost).post, tapStorageIn(memory()));
    const onOutcome = vi.fn();
    queue.onOutcome(onOutcome);
    queue.disown(queue.tap(iniciar, body, about()));
    await soon();
    expect(onOutcome).toHaveBeenCalledWith(expect.anything(), expect.objectContaining({ kind: "done" }), false);
  });
});

describe("taps that waited", () => {
  it("do not wait for the photos of notes, which go one after the other", async () => {
    const storage = tapStorageIn(memory());
    const kept = { body, at: Date.now(), state: "unsent" } as const;
    const notes = Array.from({ length: 6 }, (_, n) => ({ ...kept, key: `note ${n}`, path: "/api/spools/A/notas", about: { ...about(), accion: "NOTA" } as const, order: n }));
    for (const note of notes) await storage.save(note);
    await storage.save({ ...kept, key: "work", path: iniciar.path, about: about("B"), order: 9 });
    const sent: string[] = [];
    const post = (_path: string, _body: string, key: string): Promise<unknown> => {
      sent.push(key);
      return new Promise(() => undefined); // a slow upload
    };
    await new TapQueue(post, storage).restore();
    await vi.advanceTimersByTimeAsync(10);
    expect(sent).toEqual(["note 0", "work"]);
  });
});
