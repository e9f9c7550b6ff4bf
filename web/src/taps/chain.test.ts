import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { batchTomar } from "@/api/batch-tomar";
import type { ChainStep } from "@/api/cadena";
import { NoAnswerError, RefusedError } from "@/api/http";
import { iniciar } from "@/api/iniciar";
import { hasWork, stepsOf, STEPS_MAX, takenHereBy, type ChainBody } from "./chain";
import { LATE_SENDING_MAX, SIGNED_RETRY_MS_MAX, SIGNED_TAPS_MAX, TapQueue, TAPS_MAX, type TapIdentity } from "./queue";
import type { Tap, TapAuthor, TapDetails } from "./tap";
import { tapStorageIn } from "./tapStorage";

const MR: TapAuthor = { worker_id: 93, session: "s-93", seal: null };
const details = (tag: string): TapDetails => ({ accion: "INICIAR", operacion: "ARM", tags: [tag], worker: "MR(93)" });
const take: ChainStep = { accion: "INICIAR", operacion: "ARM" };
const finish = (...uniones: number[]): ChainStep => ({ accion: "FINALIZAR", operacion: "ARM", uniones });

function memory() {
  const entries = new Map<string, string>();
  return {
    names: () => [...entries.keys()],
    get: (name: string) => entries.get(name) ?? null,
    set: (name: string, value: string) => void entries.set(name, value),
    remove: (name: string) => void entries.delete(name),
  };
}

interface Sent {
  path: string;
  body: ChainBody;
  key: string;
  signature: string | undefined;
}

function setUp(...script: (() => unknown)[]) {
  const sent: Sent[] = [];
  const post = async (path: string, text: string, key: string, signature?: string): Promise<unknown> => {
    sent.push({ path, body: JSON.parse(text) as ChainBody, key, signature });
    await Promise.resolve();
    return (script.shift() ?? (() => ({ message: "hecho" })))();
  };
  const network = { up: false };
  const entries = memory();
  let number = 0;
  const tablet: TapIdentity & { who: TapAuthor | null } = {
    who: MR,
    signed: () => tablet.who,
    seals: () => ({ open: new Set(), right: new Set() }),
    sign: ({ session }, _path, _key, body) =>
      Promise.resolve({ session, number: ++number, time: "t", body, header: `${session}, ${number}` }),
  };
  const open = (now: () => number = Date.now): TapQueue => {
    const queue = new TapQueue(post, tapStorageIn(entries), now, () => network.up);
    queue.setIdentity(tablet);
    return queue;
  };
  const queue = open();
  const step = (one: ChainStep, tag = "A", of: TapQueue = queue) => of.step({ tag, worker_id: 93, step: one, about: details(tag) });
  const connect = async (of: TapQueue = queue): Promise<void> => {
    network.up = true;
    of.retryAll();
    await soon();
  };
  return { queue, sent, network, entries, tablet, open, step, connect };
}

const soon = (): Promise<unknown> => vi.advanceTimersByTimeAsync(60_000);
const lost = (): never => {
  throw new NoAnswerError("cut");
};
const occupied = (): never => {
  throw new RefusedError({ type: "", title: "", status: 409, code: "SPOOL_OCCUPIED", detail: "…", paso: 1, reclamo: "r-1" });
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("what is tapped on one spool without a connection", () => {
  it("goes as one request under one key, signed as a whole, and only once", async () => {
    const { queue, sent, step, connect } = setUp();
    expect(await step(take)).toBe("saved");
    expect(await step(finish(1, 2, 3))).toBe("saved");
    await soon();
    expect(sent).toEqual([]);
    expect(queue.taps()).toHaveLength(1);
    await connect();
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({ path: "/api/occupation/cadena", body: { tag_spool: "A", worker_id: 93 }, signature: "s-93, 2" });
    expect(sent[0]?.body.pasos).toEqual([take, finish(1, 2, 3)]);
    expect(queue.taps()).toEqual([]);
  });

  it("is there after the browser was killed, and may grow then", async () => {
    const { sent, step, open, connect, entries } = setUp();
    await step(take);
    const after = open();
    await after.restore();
    await step(finish(1), "A", after);
    expect(entries.names()).toHaveLength(1);
    await connect(after);
    expect(sent.map(({ body }) => body.pasos)).toEqual([[take, finish(1)]]);
    expect(entries.names()).toEqual([]);
  });

  /** Two chains of one person on one spool, of two sessions; the clock jumps back by an hour in between. Then the browser is killed. */
  async function afterClockJumped() {
    const tools = setUp();
    const { step, open, tablet } = tools;
    await step(take);
    tablet.who = { ...MR, session: "s-94" };
    const slow = (): number => Date.now() - 3_600_000;
    const before = open(slow);
    await before.restore();
    await step(finish(1), "A", before);
    return { ...tools, reopened: () => open(slow) };
  }
  const stepsIn = (queue: TapQueue) => queue.taps().map((tap) => stepsOf(tap));

  it("stays in its order although the tablet's clock jumps back and the browser is killed", async () => {
    const { sent, step, connect, reopened } = await afterClockJumped();
    const after = reopened();
    await after.restore();
    expect(stepsIn(after)).toEqual([[take], [finish(1)]]);
    await step(finish(2), "A", after);
    expect(stepsIn(after)).toEqual([[take], [finish(1), finish(2)]]);
    await connect(after);
    expect(sent.map(({ body }) => body.pasos)).toEqual([[take], [finish(1), finish(2)]]);
  });

  it("follows the tap that nothing follows, also among taps of an older version, which have no number", async () => {
    const { sent, step, connect, reopened, entries } = await afterClockJumped();
    for (const name of entries.names()) entries.set(name, (entries.get(name) ?? "").replace(/"order":\d+,?/, ""));
    const after = reopened();
    await after.restore();
    await step(finish(2), "A", after);
    await connect(after);
    expect(sent.map(({ body }) => body.pasos)).toEqual([[take], [finish(1), finish(2)]]);
  });

  it("tapped twice with gloves is one step", async () => {
    const { sent, step, connect } = setUp();
    await Promise.all([step(take), step(take)]);
    await connect();
    expect(sent[0]?.body.pasos).toEqual([take]);
  });

  it("never grows after it was sent: the next step waits until the first is answered", async () => {
    const { sent, step, network, queue } = setUp(lost, lost);
    await step(take);
    network.up = true;
    queue.retryAll();
    await vi.advanceTimersByTimeAsync(100);
    expect(sent).toHaveLength(1);
    await step(finish(1));
    expect(sent.filter(({ body }) => body.pasos.length > 1)).toEqual([]);
    await soon();
    expect(new Set(sent.slice(0, 3).map(({ key }) => key)).size).toBe(1);
    expect(sent.at(-1)?.body.pasos).toEqual([finish(1)]);
    expect(queue.taps()).toEqual([]);
  });

  it("does not grow in this tab when another tab has sent it", async () => {
    const { sent, step, open, queue, network } = setUp(lost);
    await step(take);
    const other = open();
    await other.restore();
    network.up = true;
    other.retryAll();
    await vi.advanceTimersByTimeAsync(0);
    network.up = false;
    await step(finish(1));
    expect(queue.taps().map((tap) => stepsOf(tap))).toEqual([[take], [finish(1)]]);
    expect(sent).toHaveLength(1);
  });

  it("that another tab made longer is not sent from here", async () => {
    const { sent, step, open, connect } = setUp();
    await step(take);
    const other = open();
    await other.restore();
    await step(finish(1), "A", other);
    await connect();
    expect(sent).toEqual([]);
    await connect(other);
    expect(sent.map(({ body }) => body.pasos)).toEqual([[take, finish(1)]]);
  });

  it("waits behind a tap that was sent and has no answer", async () => {
    const { queue, sent, step, network, connect } = setUp(lost);
    network.up = true;
    void queue.tap(iniciar, { tag_spool: "A", worker_id: 93, operacion: "ARM" }, details("A"));
    await vi.advanceTimersByTimeAsync(0);
    network.up = false;
    await step(finish(1));
    await connect();
    expect(sent.map(({ path }) => path.split("/").at(-1))).toEqual(["iniciar", "iniciar", "cadena"]);
  });

  it("waits behind a batch that was sent and has no answer", async () => {
    const { queue, sent, step, network, connect } = setUp(lost, lost);
    network.up = true;
    void queue.tap(batchTomar, { tag_spools: ["A", "B"], worker_id: 93, operacion: "ARM" }, { ...details("A"), accion: "TOMAR", tags: ["A", "B"] });
    await vi.advanceTimersByTimeAsync(0);
    network.up = false;
    await step({ accion: "COMPLETAR", operacion: "ARM" }, "B");
    await connect();
    expect(sent.map(({ path }) => path.split("/").at(-1))).toEqual([...Array<string>(3).fill("batch-tomar"), "cadena"]);
  });

  it("that was refused ends, with its reclamo, and is not sent again", async () => {
    const { queue, sent, step, connect } = setUp(occupied);
    const heard = vi.fn();
    queue.onOutcome(heard);
    await step(take);
    await step(finish(1));
    await connect();
    await soon();
    expect(sent).toHaveLength(1);
    expect(heard).toHaveBeenCalledTimes(1);
    expect(heard.mock.calls[0]?.[1]).toMatchObject({ kind: "refused", problem: { reclamo: "r-1" } });
  });

  it("dropped by its author drops what was tapped after it on that spool", async () => {
    const { queue, sent, step, network, connect } = setUp(lost);
    network.up = true;
    void queue.tap(iniciar, { tag_spool: "A", worker_id: 93, operacion: "ARM" }, details("A"));
    await vi.advanceTimersByTimeAsync(0);
    network.up = false;
    await step(finish(1));
    queue.drop(queue.taps()[0]?.key ?? "");
    await connect();
    expect(queue.taps()).toEqual([]);
    expect(sent).toHaveLength(1);
  });

  it("of two spools is two requests", async () => {
    const { sent, step, connect } = setUp();
    await step(take, "A");
    await step(take, "B");
    await connect();
    expect(sent.map(({ body }) => body.tag_spool).sort()).toEqual(["A", "B"]);
  });

  it("is the person's who tapped it, although another is here when the storage answers", async () => {
    const { queue, sent, step, connect, tablet } = setUp();
    const both = [step(take, "A"), step(take, "B")];
    tablet.who = { worker_id: 7, session: "s-7", seal: null };
    await Promise.all(both);
    expect(queue.taps().map(({ author }) => author)).toEqual([MR, MR]);
    await connect();
    expect(sent.map(({ signature }) => signature?.split(",")[0])).toEqual(["s-93", "s-93"]);
  });

  it("is not kept for somebody who is not here", async () => {
    const { queue, step, tablet } = setUp();
    tablet.who = { worker_id: 7, session: "s-7", seal: null };
    expect(await step(take)).toBe("absent");
    expect(queue.taps()).toEqual([]);
  });

  it("in another session of the same person is a chain of its own", async () => {
    const { sent, step, connect, tablet } = setUp();
    await step(take);
    tablet.who = { ...MR, session: "s-94" };
    await step(finish(1));
    await connect();
    expect(sent.map(({ signature }) => signature?.split(",")[0])).toEqual(["s-93", "s-94"]);
  });

  it("is no longer than the server accepts", async () => {
    const { sent, step, connect } = setUp();
    for (let n = 1; n <= STEPS_MAX + 2; n++) await step(finish(n));
    await connect();
    expect(sent.map(({ body }) => body.pasos.length)).toEqual([STEPS_MAX, 2]);
  });
});

describe("the limits", () => {
  it("of signed taps are 500 and 12 hours", async () => {
    const { step, queue, open, sent, connect } = setUp();
    for (let n = 0; n < SIGNED_TAPS_MAX; n++) await step(take, `T${n}`);
    expect(await step(take, "one more")).toBe("full");
    expect(queue.taps()).toHaveLength(SIGNED_TAPS_MAX);
    const late = open(() => Date.now() + SIGNED_RETRY_MS_MAX - 120_000);
    await late.restore();
    const tooLate = open(() => Date.now() + SIGNED_RETRY_MS_MAX + 1);
    await tooLate.restore();
    await connect(tooLate);
    expect(sent).toEqual([]);
    await connect(late);
    expect(sent).toHaveLength(SIGNED_TAPS_MAX);
  });

  it("without identity stay 60", async () => {
    const { step, queue } = setUp();
    queue.setIdentity(null);
    for (let n = 0; n < TAPS_MAX; n++) await step(take, `T${n}`);
    expect(await step(take, "one more")).toBe("full");
  });

  it("let only a few go at once when the connection is back", async () => {
    const { queue, network } = setUp();
    let most = 0;
    let now = 0;
    const post = async (): Promise<unknown> => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setTimeout(resolve, 10));
      now -= 1;
      return {};
    };
    const many = new TapQueue(post, tapStorageIn(memory()), Date.now, () => network.up);
    for (let n = 0; n < 50; n++) await many.step({ tag: `T${n}`, worker_id: 93, step: take, about: details(`T${n}`) });
    network.up = true;
    many.retryAll();
    await soon();
    expect(many.taps()).toEqual([]);
    expect(most).toBe(LATE_SENDING_MAX);
    expect(queue.taps()).toEqual([]);
  });
});

describe("work", () => {
  it("is a joint ticked or an operation completed", () => {
    expect(hasWork([take])).toBe(false);
    expect(hasWork([take, finish()])).toBe(false);
    expect(hasWork([take, finish(2)])).toBe(true);
    expect(hasWork([{ accion: "COMPLETAR", operacion: "SOLD" }])).toBe(true);
  });
});

describe("a spool that a colleague took on this tablet, and that the server does not know of", () => {
  const tap = (accion: TapDetails["accion"], more: Partial<Tap> = {}): Tap => ({
    key: accion,
    path: "/api/occupation/x",
    body: {},
    about: { ...details("A"), accion },
    at: 0,
    state: "unsent",
    author: MR,
    ...more,
  });

  it("is taken by them for everybody else, as long as their tap has not arrived", () => {
    expect(takenHereBy([tap("TOMAR")], "A", 95)).toBe("MR(93)");
    expect(takenHereBy([tap("NOTA"), tap("TOMAR")], "A", 95)).toBe("MR(93)");
    expect(takenHereBy([tap("TOMAR")], "B", 95)).toBeNull();
    expect(takenHereBy([tap("TOMAR")], "A", 93)).toBeNull();
    expect(takenHereBy([tap("TOMAR", { state: "sending" })], "A", 95)).toBeNull();
    expect(takenHereBy([tap("TOMAR"), tap("PAUSAR")], "A", 95)).toBeNull();
    expect(takenHereBy([tap("TOMAR", { doubtful: true })], "A", 95)).toBeNull();
  });
});
