import { describe, expect, it } from "vitest";

import type { Spool } from "@/api/types";
import { insertSpool, matches, mergeLists } from "./merge";
import { idOf, inches, progressOf } from "./progress";

const spool = (tag_spool: string, more: Partial<Spool> = {}): Spool =>
  ({ tag_spool, ot: "OT-4120", nv: "NV-2207", version_workflow: "v3.0", ...more }) as Spool;
const tags = (found: readonly Spool[]): string[] => found.map((one) => one.tag_spool);
const pages = (more: boolean, ...names: string[]) => ({ spools: names.map((name) => spool(name)), more });

describe("two paged lists as one", () => {
  it("are in order", () => {
    expect(tags(mergeLists([pages(false, "A", "D"), pages(false, "B", "C")]))).toEqual(["A", "B", "C", "D"]);
  });

  it("show nothing behind the point where the other could still bring something", () => {
    expect(tags(mergeLists([pages(true, "A", "C"), pages(false, "B", "D", "E")]))).toEqual(["A", "B", "C"]);
    expect(tags(mergeLists([pages(true, "A", "C"), pages(true, "B")]))).toEqual(["A", "B"]);
  });

  it("show nothing while one is not known at all", () => {
    expect(mergeLists([{ spools: [], more: true }, pages(false, "A")])).toEqual([]);
  });

  it("show a spool once", () => {
    expect(tags(mergeLists([pages(false, "A"), pages(false, "A", "B")]))).toEqual(["A", "B"]);
  });
});

describe("a spool that comes by the stream", () => {
  it("goes to its place", () => {
    expect(tags(insertSpool(pages(false, "A", "C"), spool("B")))).toEqual(["A", "B", "C"]);
    expect(tags(insertSpool(pages(false, "A", "C"), spool("D")))).toEqual(["A", "C", "D"]);
  });

  it("is left to paging when it is behind what is loaded", () => {
    expect(tags(insertSpool(pages(true, "A", "C"), spool("D")))).toEqual(["A", "C"]);
  });

  it("replaces what was known of it", () => {
    const found = insertSpool(pages(true, "A", "C"), spool("C", { ocupado_por: "JP(94)" }));
    expect(found.map((one) => one.ocupado_por)).toEqual([undefined, "JP(94)"]);
  });
});

describe("search on the tablet", () => {
  it("finds what the server finds: tag, OT and NV, no accents, no capitals", () => {
    expect(matches(spool("MK-ÑANDÚ-1"), "nandu")).toBe(true);
    expect(matches(spool("X"), "ot-41")).toBe(true);
    expect(matches(spool("X"), "2207")).toBe(true);
    expect(matches(spool("X", { ot: null, nv: null }), "2207")).toBe(false);
  });
});

describe("progress", () => {
  const v4 = { version_workflow: "v4.0", total_uniones: 10, uniones_sold_necesarias: 9 } as const;
  const some = spool("A", { ...v4, uniones_arm_completadas: 7, uniones_sold_completadas: 2, arm: "PAUSADO" });

  it("counts the joints that the operation needs", () => {
    expect(progressOf(some, "ARM")).toEqual({ kind: "joints", done: 7, total: 10 });
    expect(progressOf(some, "SOLD")).toEqual({ kind: "joints", done: 2, total: 9 });
  });

  it("is a state where the spool is worked as a whole, and nothing for inspection and repair", () => {
    expect(progressOf({ ...some, version_workflow: "v3.0" }, "ARM")).toEqual({ kind: "state", estado: "PAUSADO" });
    expect(progressOf(some, "METROLOGIA")).toBeNull();
  });

  it("reads labels and writes inches", () => {
    expect(idOf("MR(93)")).toBe(93);
    expect(idOf(null)).toBeNull();
    expect([inches(18.5), inches(0.1 + 0.2), inches(6)]).toEqual(["18.5", "0.3", "6"]);
  });
});
