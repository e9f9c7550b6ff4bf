import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { ChainStep } from "@/api/cadena";
import { iniciar } from "@/api/iniciar";
import { liberar } from "@/api/liberar";
import { NoAnswerError, RefusedError } from "@/api/http";
import { STORING_MS_MAX, TapQueue, type TapIdentity } from "./queue";
import type { TapAuthor, TapDetails } from "./tap";
import { tapStorageIn } from "./tapStorage";

const soon = (): Promise<unknown> => vi.advanceTimersByTimeAsync(60_000);
const body = (worker_id: number) => ({ tag_spool: "A", worker_id, operacion: "ARM" }) as const;
const about = (worker: string, accion: TapDetails["accion"] = "INICIAR"): TapDetails => ({ accion, operacion: "ARM", tags: ["A"], worker });
const author = (worker_id: number, seal: string | null = null): TapAuthor => ({ worker_id, session: `s-${worker_id}`, seal });

function memory() {
  const entries = new Map<string, string>();
  return {
    entries,
    names: () => [...entries.keys()],
    get: (name: string) => entries.get(name) ?? null,
    set: (name: string, value: string) => void entries.set(name, value),
    remove: (name: string) => void entries.delete(name),
  };
}

/** A tablet whose keys sign with the name of the session. */
class Tablet implements TapIdentity {
  who: TapAuthor | null = null;
  open = new Set<string>();
  right = new Set<string>();
  keys = true;
  private count = 0;

  signed = (): TapAuthor | null => this.who;
  seals = (): { open: Set<string>; right: Set<string> } => ({ open: this.open, right: this.right });
  sign: TapIdentity["sign"] = ({ session }, path, key, text) => {
    const number = ++this.count;
    return Promise.resolve(
      this.keys ? { session, number, time: "t", body: text, header: `${session}, ${number}, t, ${path} ${key}` } : null,
    );
  };
}

interface Sent {
  body: string;
  key: string;
  signature: string | undefined;
}

function setUp(...script: (() => unknown)[]) {
  const sent: Sent[] = [];
  const post = async (_path: string, text: string, key: string, signature?: string): Promise<unknown> => {
    sent.push({ body: text, key, signature });
    await Promise.resolve();
    return (script.shift() ?? (() => ({ success: true })))();
  };
  const storage = memory();
  const queue = new TapQueue(post, tapStorageIn(storage));
  const tablet = new Tablet();
  queue.setIdentity(tablet);
  const sign = (who: TapAuthor | null): void => {
    tablet.who = who;
    queue.identityChanged();
  };
  return { queue, tablet, sent, storage, sign, post };
}

const lost = (): never => {
  throw new NoAnswerError("cut");
};
const refuses = (status: number, code: string) => (): never => {
  throw new RefusedError({ type: "about:blank", status, code, title: "", detail: "…" });
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a tap of somebody who signed in", () => {
  it("is sent with the signature and the bytes of the moment of the tap, whoever is here later", async () => {
    const { queue, sent, sign, storage } = setUp(lost);
    sign(author(93));
    const outcome = queue.tap(iniciar, body(93), about("MR(93)"));
    await vi.advanceTimersByTimeAsync(0);
    const [stored = ""] = [...storage.entries.values()];
    expect(JSON.parse(stored)).toMatchObject({ signature: { session: "s-93", number: 1, body: JSON.stringify(body(93)) } });
    sign(null);
    sign(author(7));
    await soon();
    expect(await outcome).toMatchObject({ kind: "done" });
    expect(new Set(sent.map(({ signature }) => signature?.split(",")[0]))).toEqual(new Set(["s-93"]));
    expect(new Set(sent.map((one) => JSON.stringify(one))).size).toBe(1);
  });

  it("without a key waits until its author is signed in, and never goes out under another name", async () => {
    const { queue, tablet, sent, sign } = setUp(lost);
    tablet.keys = false;
    sign(author(93));
    void queue.tap(iniciar, body(93), about("MR(93)"));
    await vi.advanceTimersByTimeAsync(0);
    sign(author(7));
    await soon();
    expect(sent).toHaveLength(1);
    expect(queue.taps()[0]).toMatchObject({ state: "unsent", waits: "author" });
    queue.retry(queue.taps()[0]?.key ?? "");
    await soon();
    expect(sent).toHaveLength(1);
    sign(author(93));
    await soon();
    expect(queue.taps()).toEqual([]);
    expect(sent).toHaveLength(2);
  });

  it("is not sent before it is known whether the server knows identities", async () => {
    const { queue, sent, sign, storage, post, tablet } = setUp(lost);
    sign(author(93));
    void queue.tap(iniciar, body(93), about("MR(93)"));
    await vi.advanceTimersByTimeAsync(0);
    const after = new TapQueue(post, tapStorageIn(storage));
    await after.restore();
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toHaveLength(1);
    expect(after.taps()[0]?.waits).toBe("author");
    after.setIdentity(tablet);
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toHaveLength(2);
  });

  it("keeps its signature over a reload", async () => {
    const { queue, sent, sign, storage, post, tablet } = setUp(lost);
    sign(author(93));
    void queue.tap(iniciar, body(93), about("MR(93)"));
    await vi.advanceTimersByTimeAsync(0);
    const after = new TapQueue(post, tapStorageIn(storage));
    after.setIdentity(tablet);
    sign(author(7));
    await after.restore();
    await vi.advanceTimersByTimeAsync(0);
    expect(sent.at(-1)).toEqual(sent[0]);
  });

  it.each([
    [401, "SESION_REQUERIDA"],
    [401, "DISPOSITIVO_NO_INSCRITO"],
    [401, "TOQUE_NO_VALIDO"],
    [403, "IDENTIDAD_DISTINTA"],
    [403, "PIN_REQUERIDO"],
    [421, "HOST_DESCONOCIDO"],
    [423, "PIN_BLOQUEADO"],
    [429, "DEMASIADOS_INTENTOS"],
  ])("is not ended by a refusal of identity: %s %s", async (status, code) => {
    const { queue, sign } = setUp(refuses(status, code));
    sign(author(93));
    const ended = vi.fn();
    queue.onOutcome(ended);
    void queue.tap(iniciar, body(93), about("MR(93)"));
    await vi.advanceTimersByTimeAsync(0);
    expect(ended).not.toHaveBeenCalled();
    expect(queue.taps()[0]?.state).toBe("unsent");
  });

  it("whose signature is not accepted waits for its author and is then sent without it", async () => {
    const { queue, sent, sign } = setUp(refuses(401, "TOQUE_NO_VALIDO"));
    sign(author(93));
    void queue.tap(iniciar, body(93), about("MR(93)"));
    sign(author(7));
    await soon();
    expect(queue.taps()[0]?.waits).toBe("author");
    expect(sent).toHaveLength(1);
    sign(author(93));
    await soon();
    expect(sent[1]).toMatchObject({ key: sent[0]?.key, signature: undefined });
  });

  it("is refused by the rules of the shop as before", async () => {
    const { queue, sign } = setUp(refuses(409, "SPOOL_OCCUPIED"));
    sign(author(93));
    const outcome = queue.tap(iniciar, body(93), about("MR(93)"));
    await soon();
    expect(await outcome).toMatchObject({ kind: "refused" });
  });
});

describe("a tap after a PIN that was typed without a connection", () => {
  it("waits until the server has found the PIN right, which is then stored with the tap", async () => {
    const { queue, tablet, sent, sign, storage } = setUp(lost);
    tablet.open.add("seal");
    sign(author(93, "seal"));
    void queue.tap(iniciar, body(93), about("MR(93)"));
    await soon();
    expect(sent).toHaveLength(0);
    expect(queue.taps()[0]?.waits).toBe("proof");
    tablet.open.clear();
    tablet.right.add("seal");
    queue.identityChanged();
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toHaveLength(1);
    expect(JSON.parse([...storage.entries.values()][0] ?? "")).toMatchObject({ author: { seal: null } });
    await soon();
    expect(queue.taps()).toEqual([]);
  });

  it("of which nothing is known any more waits for its author, also after a reload", async () => {
    const { queue, tablet, sent, sign, storage, post } = setUp();
    tablet.open.add("seal");
    sign(author(93, "seal"));
    void queue.tap(iniciar, body(93), about("MR(93)"));
    await vi.advanceTimersByTimeAsync(0);
    tablet.open.clear();
    tablet.who = author(93);
    const after = new TapQueue(post, tapStorageIn(storage));
    after.setIdentity(tablet);
    await after.restore();
    await soon();
    expect(sent).toEqual([]);
    expect(after.taps()[0]?.waits).toBe("confirm");
    after.confirm(after.taps()[0]?.key ?? "");
    await soon();
    expect(sent).toHaveLength(1);
    expect(sent[0]?.signature).toBeUndefined();
  });

  it("that the server found right before the reload is sent after it", async () => {
    const { queue, tablet, sent, sign, storage, post } = setUp();
    tablet.open.add("seal");
    sign(author(93, "seal"));
    void queue.tap(iniciar, body(93), about("MR(93)"));
    await vi.advanceTimersByTimeAsync(0);
    tablet.open.clear();
    tablet.right.add("seal");
    tablet.who = null;
    const after = new TapQueue(post, tapStorageIn(storage));
    after.setIdentity(tablet);
    await after.restore();
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toHaveLength(1);
  });

  it("that was wrong waits for its author to say that it is theirs", async () => {
    const { queue, tablet, sent, sign } = setUp();
    tablet.open.add("seal");
    sign(author(93, "seal"));
    void queue.tap(iniciar, body(93), about("MR(93)"));
    await vi.advanceTimersByTimeAsync(0);
    tablet.open.clear();
    queue.doubt("seal");
    sign(author(93));
    await soon();
    const [tap] = queue.taps();
    expect(tap?.waits).toBe("confirm");
    expect(sent).toHaveLength(0);
    queue.confirm(tap?.key ?? "");
    await soon();
    expect(sent).toHaveLength(1);
    expect(sent[0]?.signature).toBeUndefined(); // it goes out under the session of whoever confirmed it
  });

  it("that another tab found wrong waits here too, although this one has not heard of it", async () => {
    const { queue, tablet, sent, sign } = setUp();
    tablet.open.add("seal");
    sign(author(93, "seal"));
    void queue.tap(iniciar, body(93), about("MR(93)"));
    await vi.advanceTimersByTimeAsync(0);
    tablet.open.clear();
    sign(author(93));
    await soon();
    expect(sent).toHaveLength(0);
    expect(queue.taps()[0]?.waits).toBe("confirm");
  });

  it("is nobody's who opened the screen with a PIN that is not checked", async () => {
    const { queue, tablet, sent, sign } = setUp();
    sign(author(93, "seal"));
    void queue.tap(iniciar, body(93), about("MR(93)"));
    await vi.advanceTimersByTimeAsync(0);
    tablet.open.add("other seal");
    sign(author(93, "other seal"));
    queue.confirm(queue.taps()[0]?.key ?? "");
    tablet.open.clear();
    sign(author(93));
    await soon();
    expect(sent).toHaveLength(0);
    expect(queue.taps()[0]?.waits).toBe("confirm");
  });
});

describe("what a stranger taps on a locked screen that they opened with a wrong PIN", () => {
  const iniciado: ChainStep = { accion: "INICIAR", operacion: "ARM" };
  const finalizado: ChainStep = { accion: "FINALIZAR", operacion: "ARM", uniones: [1, 2, 3] };
  const step = (queue: TapQueue, one: ChainStep) => queue.step({ tag: "A", worker_id: 93, step: one, about: about("MR(93)") });

  /** The author has the right PIN and does the same work after the stranger; the server is there once both are stored. */
  async function bothTapped() {
    const tools = setUp();
    const { queue, tablet, sign } = tools;
    tablet.open = new Set(["wrong", "right"]);
    sign(author(93, "wrong"));
    await step(queue, iniciado);
    sign(author(93, "right"));
    await step(queue, iniciado);
    await step(queue, finalizado);
    return tools;
  }
  const steps = (text: string | undefined) => (JSON.parse(text ?? "{}") as { pasos: ChainStep[] }).pasos.map(({ accion }) => accion);

  it("neither swallows nor holds up the author's own work on that spool", async () => {
    const { queue, tablet, sent, sign } = await bothTapped();
    await soon();
    expect(sent).toEqual([]);
    tablet.open = new Set();
    tablet.right = new Set(["right"]);
    queue.doubt("wrong");
    sign(author(93));
    await soon();
    expect(sent.map((one) => steps(one.body))).toEqual([["INICIAR", "FINALIZAR"]]);
    expect(queue.taps().map(({ waits }) => waits)).toEqual(["confirm"]);
  });

  it("is dropped without the author's own work, also before the PINs are checked", async () => {
    const { queue, tablet, sent, sign } = await bothTapped();
    queue.drop(queue.taps()[0]?.key ?? "");
    expect(queue.taps()).toHaveLength(1);
    tablet.open = new Set();
    tablet.right = new Set(["right"]);
    sign(author(93));
    await soon();
    expect(sent.map((one) => steps(one.body))).toEqual([["INICIAR", "FINALIZAR"]]);
  });

  it("in between leaves the author's work in its order", async () => {
    const { queue, tablet, sent, sign } = setUp(lost, lost, lost, lost);
    sign(author(93));
    await step(queue, iniciado);
    tablet.right = new Set(["right"]);
    sign(author(93, "wrong"));
    await step(queue, { accion: "PAUSAR", operacion: "ARM" });
    sign(author(93, "right"));
    await step(queue, finalizado);
    queue.drop(queue.taps()[1]?.key ?? "");
    await soon();
    expect(sent.map((one) => steps(one.body)[0])).toEqual([...Array<string>(5).fill("INICIAR"), "FINALIZAR"]);
  });
});

describe("the taps that are unsent when their session ends", () => {
  const key = ({ queue }: ReturnType<typeof setUp>, n = 0): string => queue.taps()[n]?.key ?? "";

  it("are those of that session, also the one that is on its way", async () => {
    const silence = (): Promise<never> => new Promise(() => undefined);
    const tablet = setUp(lost, silence, silence);
    tablet.sign(author(93));
    void tablet.queue.tap(iniciar, body(93), about("MR(93)"));
    await vi.advanceTimersByTimeAsync(0);
    tablet.sign(author(7));
    void tablet.queue.tap(iniciar, body(7), about("LP(7)"));
    await vi.advanceTimersByTimeAsync(0);
    expect(await tablet.queue.unsent("s-93")).toEqual([key(tablet)]);
    expect(await tablet.queue.unsent("s-7")).toEqual([key(tablet, 1)]);
    expect(await tablet.queue.unsent("s-8")).toEqual([]);
  });

  it("count the one that is being signed and stored", async () => {
    const tablet = setUp(lost);
    const { sign } = tablet.tablet;
    tablet.tablet.sign = async (...given) => {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      return sign(...given);
    };
    tablet.sign(author(93));
    void tablet.queue.tap(iniciar, body(93), about("MR(93)"));
    const unsent = tablet.queue.unsent("s-93");
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await unsent).toEqual([key(tablet)]);
  });

  it("count one that is signed but stored slowly", async () => {
    const tablet = setUp();
    const stores = tapStorageIn(tablet.storage);
    const slow = new TapQueue(tablet.post, { ...stores, save: () => new Promise(() => undefined) });
    slow.setIdentity(tablet.tablet);
    tablet.tablet.who = author(93);
    void slow.tap(iniciar, body(93), about("MR(93)"));
    const unsent = slow.unsent("s-93");
    await vi.advanceTimersByTimeAsync(STORING_MS_MAX);
    expect(await unsent).toHaveLength(1);
  });

  it("are not waited for longer than five seconds", async () => {
    const tablet = setUp();
    tablet.tablet.sign = () => new Promise(() => undefined);
    tablet.sign(author(93));
    void tablet.queue.tap(iniciar, body(93), about("MR(93)"));
    const unsent = tablet.queue.unsent("s-93");
    await vi.advanceTimersByTimeAsync(STORING_MS_MAX);
    expect(await unsent).toEqual([]);
  });

  it("count what another tab has stored, and what was tapped before a reload", async () => {
    const tablet = setUp(lost);
    tablet.sign(author(93));
    void tablet.queue.tap(iniciar, body(93), about("MR(93)"));
    await vi.advanceTimersByTimeAsync(0);
    const other = new TapQueue(tablet.post, tapStorageIn(tablet.storage));
    expect(await other.unsent("s-93")).toEqual([key(tablet)]);
  });

  it("are a whole chain each, with all its steps", async () => {
    const tablet = setUp(lost, lost);
    tablet.sign(author(93));
    const step = (one: ChainStep) => tablet.queue.step({ tag: "A", worker_id: 93, step: one, about: about("MR(93)") });
    void step({ accion: "INICIAR", operacion: "ARM" });
    void step({ accion: "PAUSAR", operacion: "ARM" });
    const unsent = await tablet.queue.unsent("s-93");
    expect(unsent).toHaveLength(tablet.queue.taps().length);
    expect(unsent).toContain(key(tablet, tablet.queue.taps().length - 1));
  });

  it("are no more once they are answered or dropped, or refused because the server does not know them", async () => {
    const tablet = setUp(() => ({ success: true }), lost, refuses(401, "TOQUE_NO_VALIDO"));
    tablet.sign(author(93));
    await tablet.queue.tap(iniciar, body(93), about("MR(93)"));
    expect(await tablet.queue.unsent("s-93")).toEqual([]);
    void tablet.queue.tap(iniciar, body(93), about("MR(93)"));
    await vi.advanceTimersByTimeAsync(0);
    expect(await tablet.queue.unsent("s-93")).toHaveLength(1);
    tablet.queue.drop(key(tablet));
    expect(await tablet.queue.unsent("s-93")).toEqual([]);
    void tablet.queue.tap(iniciar, body(93), about("MR(93)"));
    await vi.advanceTimersByTimeAsync(0);
    expect(await tablet.queue.unsent("s-93")).toEqual([]);
    expect(tablet.queue.taps()).toHaveLength(1); // it waits for its author
  });
});

describe("a supervisor's action", () => {
  const free = { tag_spool: "A", supervisor_id: 21, motivo: "fin de turno" };

  it("asks for the PIN and is then sent under the same key", async () => {
    const { queue, sent, sign } = setUp(refuses(403, "PIN_REQUERIDO"));
    sign(author(21));
    const outcome = queue.tap(liberar, free, about("SV(21)", "LIBERAR"));
    await soon();
    expect(queue.taps()[0]?.waits).toBe("pin");
    queue.identityChanged();
    expect(await outcome).toMatchObject({ kind: "done" });
    expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
  });

  it("is not stored: after a reload nobody sends it", async () => {
    const { queue, sign, storage } = setUp(lost);
    sign(author(21));
    void queue.tap(liberar, free, about("SV(21)", "LIBERAR"));
    await vi.advanceTimersByTimeAsync(0);
    expect(storage.names()).toEqual([]);
    expect(queue.taps()[0]?.signature).toBeUndefined();
  });
});
