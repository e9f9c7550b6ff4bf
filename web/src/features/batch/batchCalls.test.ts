import { describe, expect, it } from "vitest";

import type { BatchAnswer, Spool } from "@/api/types";
import { answersTogether, canBeChosen, plannedCalls } from "./batchCalls";

const MIXED = new Map([
  ["C", "v4.0"],
  ["A", "v3.0"],
  ["B", "v4.0"],
] as const);

const answer = (...tags: string[]): BatchAnswer => ({
  total: tags.length,
  succeeded: tags.length,
  failed_count: 0,
  details: tags.map((tag_spool) => ({ tag_spool, success: true, message: "hecho" })),
});
const spool = (rest: Partial<Spool>): Spool => ({ version_workflow: "v4.0", ocupado_por: null, ...rest }) as Spool;

describe("several spools at once", () => {
  it("are taken with one call for each workflow", () => {
    expect(plannedCalls("TOMAR", MIXED, "ARM")).toEqual([
      { accion: "TOMAR", tags: ["A"] },
      { accion: "INICIAR", tags: ["B", "C"] },
    ]);
  });

  it("of one workflow need one call", () => {
    expect(plannedCalls("TOMAR", new Map([["B", "v4.0"]]), "SOLD")).toEqual([{ accion: "INICIAR", tags: ["B"] }]);
    expect(plannedCalls("TOMAR", new Map([["A", "v3.0"]]), "SOLD")).toEqual([{ accion: "TOMAR", tags: ["A"] }]);
  });

  it("are repaired with the same call in both workflows, and ended with one call", () => {
    expect(plannedCalls("TOMAR", MIXED, "REPARACION")).toEqual([{ accion: "TOMAR", tags: ["A", "B", "C"] }]);
    expect(plannedCalls("PAUSAR", MIXED, "REPARACION")).toEqual([{ accion: "PAUSAR", tags: ["A", "B", "C"] }]);
  });

  it("are answered as if it had been one request", () => {
    const both = answersTogether([answer("A", "D"), answer("B")]);
    expect(both.details.map(({ tag_spool }) => tag_spool)).toEqual(["A", "B", "D"]);
    expect([both.total, both.succeeded, both.failed_count]).toEqual([3, 3, 0]);
  });

  it("can be chosen to begin whatever their workflow, but joints are ended one spool at a time", () => {
    expect(canBeChosen(spool({}), false, "ARM")).toBe(true);
    expect(canBeChosen(spool({ ocupado_por: "MR(93)" }), false, "ARM")).toBe(false);
    expect(canBeChosen(spool({ ocupado_por: "LP(7)", operacion_actual: "ARM" }), true, "ARM")).toBe(false);
    expect(canBeChosen(spool({ operacion_actual: "REPARACION" }), true, "REPARACION")).toBe(true);
  });
});
