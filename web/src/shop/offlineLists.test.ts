import { describe, expect, it } from "vitest";

import type { SpoolCard, Worker } from "@/api/types";
import type { Tap } from "@/taps/tap";
import { listsOf, stepsByTag } from "./offlineLists";

const LP: Worker = { id: 7, nombre: "Luis", apellido: "Pérez", label: "LP(7)", roles: ["Armador"] };
const card = (tag_spool: string, facts: object = {}): SpoolCard =>
  ({ tag_spool, ot: null, nv: null, ocupado_por_id: null, acciones: [{ accion: "TOMAR", operacion: "ARM" }], ...facts }) as unknown as SpoolCard;
const chain = (tag: string, worker_id: number, facts: Partial<Tap> = {}): Tap => ({
  key: `${tag} ${worker_id}`,
  path: "/api/occupation/cadena",
  body: { tag_spool: tag, worker_id, pasos: [{ accion: "TOMAR", operacion: "ARM" }] },
  about: { accion: "TOMAR", operacion: "ARM", tags: [tag], worker: "" },
  at: 0,
  state: "unsent",
  sent: false,
  ...facts,
});

describe("the lists without a connection", () => {
  it("show what is held first, by tag, and then what could be taken for this operation", () => {
    const cards = [card("C"), card("B", { ocupado_por_id: 7 }), card("A"), card("D", { acciones: [{ accion: "TOMAR", operacion: "SOLD" }] })];
    const { mine, spools } = listsOf(cards, LP, "ARM", "");
    expect(mine.map((spool) => spool.tag_spool)).toEqual(["B"]);
    expect(spools.map((spool) => spool.tag_spool)).toEqual(["A", "C"]);
  });

  it("can be searched", () => {
    const { mine, spools } = listsOf([card("MK-1", { ocupado_por_id: 7 }), card("MK-2"), card("X", { ot: "OT-mk-2" })], LP, "ARM", "mk-2");
    expect(mine).toEqual([]);
    expect(spools.map((spool) => spool.tag_spool)).toEqual(["MK-2", "X"]);
  });
});

describe("what a person sees as done before it is", () => {
  it("is also a batch without an answer, on each of its spools", () => {
    const about = { accion: "COMPLETAR", operacion: "ARM", tags: ["A", "B"], worker: "" } as const;
    const batch = chain("A", 7, { path: "/api/occupation/batch-completar", body: { tag_spools: ["A", "B"], worker_id: 7 }, about, sent: undefined });
    const steps = stepsByTag([chain("A", 7), batch], 7, true);
    expect(steps.get("A")?.map(({ accion }) => accion)).toEqual(["TOMAR", "COMPLETAR"]);
    expect(steps.get("B")?.map(({ accion }) => accion)).toEqual(["COMPLETAR"]);
  });

  it("is their own taps that wait for the connection, in order", () => {
    const more = chain("A", 7, { key: "later", body: { pasos: [{ accion: "PAUSAR", operacion: "ARM" }] }, author: { worker_id: 7, session: "s", seal: null } });
    const steps = stepsByTag([chain("A", 7), chain("B", 8), more], 7, true);
    expect([...steps.keys()]).toEqual(["A"]);
    expect(steps.get("A")?.map(({ accion }) => accion)).toEqual(["TOMAR", "PAUSAR"]);
  });

  it("is nothing that was made after a wrong PIN, waits for its author, or is on its way", () => {
    const taps = [chain("A", 7, { waits: "confirm" }), chain("B", 7, { waits: "author" }), chain("C", 7, { state: "sending" })];
    expect(stepsByTag(taps, 7, true).size).toBe(0);
    expect(stepsByTag([chain("A", 7, { waits: "proof" })], 7, true).size).toBe(1);
  });

  it("is a single action that was sent only while the server is away", () => {
    const single = chain("A", 7, { path: "/api/occupation/tomar", sent: undefined });
    const author = { author: { worker_id: 7, session: "s", seal: null } };
    expect(stepsByTag([{ ...single, ...author }], 7, true).size).toBe(1);
    expect(stepsByTag([{ ...single, ...author }], 7, false).size).toBe(0);
    expect(stepsByTag([chain("A", 7, { sent: true })], 7, false).size).toBe(1);
  });
});
