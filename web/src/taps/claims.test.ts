import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { ChainStep } from "@/api/cadena";
import { batchCompletar } from "@/api/batch-completar";
import { finalizar } from "@/api/finalizar";
import { NoAnswerError, RefusedError } from "@/api/http";
import { TapQueue, TAPS_MAX, type TapIdentity } from "./queue";
import type { TapAuthor, TapDetails } from "./tap";
import { tapStorageIn, type TapStorage } from "./tapStorage";

const MR: TapAuthor = { worker_id: 93, session: "s-93", seal: null };
const about: TapDetails = { accion: "FINALIZAR", operacion: "ARM", tags: ["A"], worker: "MR(93)" };
const joints = (...selected_unions: number[]) => ({ tag_spool: "A", worker_id: 93, operacion: "ARM" as const, selected_unions });

function memory() {
  const entries = new Map<string, string>();
  return {
    names: () => [...entries.keys()],
    get: (name: string) => entries.get(name) ?? null,
    set: (name: string, value: string) => void entries.set(name, value),
    remove: (name: string) => void entries.delete(name),
  };
}

const refusal = (code: string, status = 409) => new RefusedError({ type: "", title: "", status, code, detail: "…" });

/** A tablet whose claims find no connection; `answers`: what the server says to each other tap. */
function setUp(...answers: unknown[]) {
  const sent: { path: string; body: Record<string, unknown>; key: string; signature: string | undefined }[] = [];
  const post = async (path: string, body: string, key: string, signature?: string): Promise<unknown> => {
    sent.push({ path, body: JSON.parse(body) as Record<string, unknown>, key, signature });
    await Promise.resolve();
    const answer = path === "/api/reclamos" ? new NoAnswerError("cut") : answers.shift();
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const changes: string[] = [];
  const inner = tapStorageIn(memory());
  const storage: TapStorage = {
    ...inner,
    save: (tap) => {
      changes.push(`save ${tap.about.accion}`);
      return inner.save(tap);
    },
    remove: (key) => {
      changes.push("remove");
      return inner.remove(key);
    },
  };
  const tablet: TapIdentity & { who: TapAuthor | null } = {
    who: MR,
    signed: () => tablet.who,
    seals: () => ({ open: new Set(), right: new Set() }),
    sign: ({ session }, _path, _key, body) => Promise.resolve({ session, number: 1, time: "t", body, header: session }),
  };
  const queue = new TapQueue(post, storage);
  queue.setIdentity(tablet);
  const claims = () => queue.taps().filter((tap) => tap.about.accion === "RECLAMAR");
  return { queue, sent, changes, storage, tablet, claims };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());
const now = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

describe("work that is refused because somebody else holds the spool", () => {
  it("is claimed in its author's name, with the key of the refused tap", async () => {
    const { queue, sent } = setUp(refusal("NO_AUTORIZADO", 403));
    expect(await queue.tap(finalizar, joints(1, 2), about)).toMatchObject({ kind: "refused" });
    const [refused, claim] = sent;
    expect(claim).toMatchObject({ path: "/api/reclamos", signature: "s-93" });
    expect(claim?.body).toMatchObject({ tag_spool: "A", worker_id: 93, clave: refused?.key, pasos: [{ uniones: [1, 2] }] });
  });

  it("is never stored nowhere: its claim is there before the refused tap is forgotten", async () => {
    const { queue, changes, storage } = setUp(refusal("NO_AUTORIZADO", 403));
    await queue.tap(finalizar, joints(1), about);
    await now();
    expect(changes).toEqual(["save FINALIZAR", "save RECLAMAR", "remove"]);
    expect((await storage.all()).taps.map((tap) => tap.about.accion)).toEqual(["RECLAMAR"]);
  });

  it("in a batch is claimed for each spool that was refused, and for no other", async () => {
    const tag_spools = ["A", "B", "C", "D"];
    const error = (code: string) => ({ status: 409, code, detail: "…" });
    const { queue, sent, claims } = setUp({
      details: [
        { tag_spool: "A", success: true },
        { tag_spool: "B", success: false, error: error("NO_AUTORIZADO") },
        { tag_spool: "C", success: false, error: error("OPERACION_YA_COMPLETADA") },
        { tag_spool: "D", success: false, error: error("OPERACION_NO_INICIADA") },
      ],
    });
    const batch = { tag_spools, worker_id: 93, operacion: "ARM" } as const;
    await queue.tap(batchCompletar, batch, { ...about, accion: "COMPLETAR", tags: tag_spools });
    await now();
    expect(claims().map((tap) => tap.body)).toMatchObject(
      ["B", "D"].map((tag_spool) => ({ tag_spool, tag_spools, worker_id: 93, clave: sent[0]?.key, pasos: [{ accion: "COMPLETAR" }] })),
    );
  });

  it("twice on one spool is two claims, while the first one still waits", async () => {
    const { queue, claims } = setUp(refusal("NO_AUTORIZADO", 403), refusal("NO_AUTORIZADO", 403));
    await queue.tap(finalizar, joints(1), about);
    await queue.tap(finalizar, joints(2), about);
    await now();
    expect(claims().map(({ body }) => (body as { pasos: ChainStep[] }).pasos[0]?.uniones)).toEqual([[1], [2]]);
  });

  it("is claimed also when no more taps are accepted", async () => {
    const { queue, claims } = setUp(refusal("NO_AUTORIZADO", 403));
    queue.setIdentity(null);
    void queue.tap(finalizar, joints(1), about);
    for (let n = 1; n < TAPS_MAX; n++) void queue.step({ tag: `T${n}`, worker_id: 93, step: { accion: "TOMAR", operacion: "ARM" }, about });
    await now();
    expect(claims()).toHaveLength(1);
  });
});

describe("work that is refused by another rule", () => {
  it.each(["VERSION_CONFLICT", "WRONG_VERSION", "SPOOL_BLOQUEADO", "UNION_NO_DISPONIBLE"])(
    "is claimed when its author has gone, and corrected by an author who is there: %s",
    async (code) => {
      const { queue, tablet, claims } = setUp(refusal(code), refusal(code));
      await queue.tap(finalizar, joints(1), about);
      expect(claims()).toEqual([]);
      const late = queue.tap(finalizar, joints(1), about);
      tablet.who = { worker_id: 7, session: "s-7", seal: null };
      await late;
      expect(claims()).toMatchObject([{ author: MR, body: { worker_id: 93 } }]);
    },
  );

  it("of the form of the request is nothing that a supervisor could decide", async () => {
    const { queue, tablet, claims } = setUp(refusal("DATOS_INVALIDOS", 422));
    const late = queue.tap(finalizar, joints(1), about);
    tablet.who = null;
    await late;
    expect(claims()).toEqual([]);
  });
});
