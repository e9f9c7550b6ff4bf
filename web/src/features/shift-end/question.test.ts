import { describe, expect, it } from "vitest";

import type { Turno } from "@/api/turno";
import type { Tap } from "@/taps/tap";
import { isSending, isWhole, momentOf, nextReadMs, NOTHING_DISMISSED, unanswered, withAnswers } from "./question";

const END = "2026-11-16T15:30:00-03:00";
const spool = (tag_spool: string, respondido = false): Turno["spools"][number] => ({
  tag_spool,
  operacion: "ARM",
  desde: "2026-11-16T08:00:00-03:00",
  version_workflow: "v3.0",
  respondido,
});
const turno: Turno = {
  ahora: "2026-11-16T15:16:00-03:00",
  turno: { nombre: "Mañana", termina: END },
  preguntar: true,
  motivo: "fin_de_turno",
  pregunta: { nombre: "Mañana", termina: END },
  proxima: "2026-11-16T23:15:00-03:00",
  spools: [spool("A"), spool("B", true), spool("C")],
};
const tapOn = (tag: string, worker_id: number, accion: Tap["about"]["accion"] = "SEGUIR"): Tap => ({
  key: tag,
  path: "/api/occupation/sigo",
  body: { worker_id },
  about: { accion, operacion: "ARM", tags: [tag], worker: "MR(93)" },
  at: 0,
  state: "unsent",
});
const tags = (spools: readonly { tag_spool: string }[]): string[] => spools.map(({ tag_spool }) => tag_spool);

describe("the spools without an answer", () => {
  it("are those that the server names, without those with a tap that waits here", () => {
    expect(tags(unanswered(turno, [], 93))).toEqual(["A", "C"]);
    expect(tags(unanswered(turno, [tapOn("A", 93)], 93))).toEqual(["C"]);
  });
  it("are not answered by a colleague's tap", () => {
    expect(tags(unanswered(turno, [tapOn("A", 7)], 93))).toEqual(["A", "C"]);
  });
  it("are not answered by a note or a reclamo", () => {
    expect(tags(unanswered(turno, [tapOn("A", 93, "NOTA"), tapOn("C", 93, "RECLAMAR")], 93))).toEqual(["A", "C"]);
  });
  it("become fewer at once when an answer is done, and with the last one nothing is asked", () => {
    const one = withAnswers(turno, ["A"]);
    expect([tags(unanswered(one, [], 93)), one.motivo]).toEqual([["C"], "fin_de_turno"]);
    expect(momentOf(withAnswers(turno, ["A", "C"]), false, NOTHING_DISMISSED)).toBe(null);
  });
});

it("knows whether a tap of the person who signs out is on its way", () => {
  const sending: Tap = { ...tapOn("A", 93), state: "sending" };
  expect(isSending([sending], 93)).toBe(true);
  expect(isSending([sending], 7)).toBe(false);
  expect(isSending([tapOn("A", 93)], 93)).toBe(false);
});

describe("the moment of the question", () => {
  const after: Turno = { ...turno, motivo: "olvidados" };
  const dismissed = { ...NOTHING_DISMISSED, ending: END, here: true };

  it("is before the end of the shift, once", () => {
    expect(momentOf(turno, false, NOTHING_DISMISSED)).toBe("ending");
    expect(momentOf(turno, false, dismissed)).toBe(null);
  });
  it("comes again for the next shift", () => {
    const next = { ...turno, pregunta: { nombre: "Tarde", termina: "2026-11-16T23:30:00-03:00" } };
    expect(momentOf(next, false, dismissed)).toBe("ending");
  });
  it("is at the exit once more, and then no more", () => {
    expect(momentOf(turno, true, dismissed)).toBe("exit");
    expect(momentOf(turno, true, { ...dismissed, exit: END })).toBe(null);
  });
  it("is not the end of the shift for who closed it and is still here, but for who comes back", () => {
    expect(momentOf(after, false, dismissed)).toBe(null);
    expect(momentOf(after, false, { ...dismissed, here: false })).toBe("forgotten");
    expect(momentOf(after, false, { ...dismissed, here: false, forgotten: END })).toBe(null);
  });
  it("is never without a question", () => {
    expect(momentOf({ ...turno, pregunta: null, motivo: null }, true, NOTHING_DISMISSED)).toBe(null);
  });
});

describe("the next read", () => {
  it("is when the next question is due, at most five minutes away", () => {
    expect(nextReadMs({ ...turno, proxima: "2026-11-16T15:17:00-03:00" })).toBe(61_000);
    expect(nextReadMs(turno)).toBe(300_000);
    expect(nextReadMs(undefined)).toBe(300_000);
    expect(nextReadMs({ ...turno, proxima: turno.ahora })).toBe(2_000);
  });
});

it("offers FINALIZAR only where joints are ticked", () => {
  expect(isWhole(spool("A"))).toBe(true);
  expect(isWhole({ ...spool("A"), version_workflow: "v4.0" })).toBe(false);
  expect(isWhole({ ...spool("A"), version_workflow: "v4.0", operacion: "REPARACION" })).toBe(true);
});
