import { describe, expect, it } from "vitest";

import type { Procedure, Qualification } from "@/api/soldadura";
import {
  draftOf,
  findProcedures,
  findQualifications,
  isKnownProcedure,
  isKnownQualification,
  NEW_PROCEDURE,
  NEW_QUALIFICATION,
  procedureState,
  qualificationState,
  rangeText,
} from "./welding";

const TODAY = "2026-11-17";
const procedure = (wps: string, more: Partial<Procedure> = {}): Procedure => ({ ...NEW_PROCEDURE, wps, procesos: "GTAW", ...more });
const qualification = (documento: string, more: Partial<Qualification> = {}): Qualification => ({
  ...NEW_QUALIFICATION,
  worker_id: 93,
  worker: "MR(93)",
  proceso: "GTAW",
  documento,
  fecha: "2026-11-01",
  vigente_hasta: "2027-05-01",
  ...more,
});

describe("a procedure", () => {
  it("is in force from its first to its last day, both included", () => {
    expect(procedureState(procedure("W-1"), TODAY)).toBe("valid");
    expect(procedureState(procedure("W-1", { vigente_desde: TODAY, vigente_hasta: TODAY }), TODAY)).toBe("valid");
    expect(procedureState(procedure("W-1", { vigente_hasta: "2026-11-16" }), TODAY)).toBe("ended");
    expect(procedureState(procedure("W-1", { vigente_desde: "2026-11-18" }), TODAY)).toBe("future");
    expect(procedureState(procedure("W-1", { activo: false, vigente_hasta: "2020-01-01" }), TODAY)).toBe("retired");
  });

  it("is found by what is typed, also if it is retired, in the order of numbers", () => {
    const all = [procedure("W-10"), procedure("W-2"), procedure("W-1", { activo: false, procesos: "GTAW, SMAW" })];
    expect(findProcedures(all, "active", " ").map(({ wps }) => wps)).toEqual(["W-2", "W-10"]);
    expect(findProcedures(all, "retired", "").map(({ wps }) => wps)).toEqual(["W-1"]);
    expect(findProcedures(all, "active", "w smaw").map(({ wps }) => wps)).toEqual(["W-1"]);
  });

  it("is not replaced by one that is added with the same number", () => {
    expect(isKnownProcedure([procedure("W-1")], " W-1 ")).toBe(true);
    expect(isKnownProcedure([procedure("W-1")], "W-11")).toBe(false);
  });
});

describe("a qualification", () => {
  it("covers until its last day, and that is told thirty days ahead", () => {
    expect(qualificationState(qualification("Q-1", { vigente_hasta: "2026-11-16" }), TODAY)).toBe("ended");
    expect(qualificationState(qualification("Q-1", { vigente_hasta: TODAY }), TODAY)).toBe("soon");
    expect(qualificationState(qualification("Q-1", { vigente_hasta: "2026-12-17" }), TODAY)).toBe("soon");
    expect(qualificationState(qualification("Q-1", { vigente_hasta: "2026-12-18" }), TODAY)).toBe("valid");
    expect(qualificationState(qualification("Q-1", { activo: false }), TODAY)).toBe("retired");
  });

  it("is found by the person's name without accents, and sorted by it", () => {
    const names: Record<number, string> = { 7: "Luis Pérez", 93: "Manuel Rojas" };
    const all = [qualification("Q-1"), qualification("Q-2", { worker_id: 7, worker: "LP(7)" })];
    const documents = (typed: string): string[] =>
      findQualifications(all, "active", typed, ({ worker_id }) => names[worker_id] ?? "").map(({ documento }) => documento);
    expect(documents("")).toEqual(["Q-2", "Q-1"]);
    expect(documents("perez gtaw")).toEqual(["Q-2"]);
    expect(documents("q-1")).toEqual(["Q-1"]);
  });

  it("is not replaced by one that is added for the same person, process and document", () => {
    const draft = { ...NEW_QUALIFICATION, worker_id: 93, proceso: "gtaw ", documento: "Q-1" };
    expect(isKnownQualification([qualification("Q-1")], draft)).toBe(true);
    expect(isKnownQualification([qualification("Q-1")], { ...draft, worker_id: 7 })).toBe(false);
  });

  it("is sent without what the server calculates", () => {
    expect(Object.keys(draftOf(qualification("Q-1"))).sort()).toEqual(Object.keys(NEW_QUALIFICATION).sort());
  });
});

describe("a range", () => {
  it("is written as far as it is limited", () => {
    expect(rangeText("1.5", "8", " mm")).toBe("1.5–8 mm");
    expect(rangeText("1.5", "", " mm")).toBe("≥ 1.5 mm");
    expect(rangeText("", "12", "″")).toBe("≤ 12″");
    expect(rangeText("", "", " mm")).toBe("");
  });
});
