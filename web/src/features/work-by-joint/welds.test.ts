import { describe, expect, it } from "vitest";

import type { Joint } from "@/api/types";
import { changedWelds, plannedTexts, weldsToConfirm } from "./welds";

const plain: Joint = {
  n_union: 1,
  dn_union: 4,
  tipo_union: "BW",
  datos_incompletos: null,
  arm_worker: "LP(7)",
  arm_fecha_fin: "2026-11-13T12:00:00-03:00",
  sol_worker: null,
  sol_fecha_fin: null,
  ndt_union: null,
  ndt_status: null,
  wps: null,
  espesor: null,
  material: null,
  posicion: null,
  colada_1: null,
  colada_2: null,
};
const planned: Joint = { ...plain, n_union: 2, wps: "W-1", colada_1: "H1" };

describe("the screen about the welds", () => {
  it("is not there when no ticked joint names a procedure or a heat", () => {
    expect(weldsToConfirm([plain, planned], new Set([1]), "SOLD")).toEqual([]);
    expect(weldsToConfirm([plain, planned], new Set([1, 2]), "ARM")).toEqual([]);
  });
  it("shows all ticked joints once one of them does", () => {
    expect(weldsToConfirm([plain, planned], new Set([1, 2]), "SOLD")).toEqual([plain, planned]);
  });
  it("sends only what was changed", () => {
    expect(changedWelds([planned], new Map([[2, plannedTexts(planned)]]))).toEqual([]);
    const typed = new Map([[2, { wps: "W-1", colada_1: "", colada_2: " H2 " }]]);
    expect(changedWelds([planned], typed)).toEqual([{ n_union: 2, colada_1: "", colada_2: "H2" }]);
  });
  it("never empties the procedure", () => {
    expect(changedWelds([planned], new Map([[2, { wps: " ", colada_1: "H1", colada_2: "" }]]))).toEqual([]);
  });
});
