import { describe, expect, it } from "vitest";

import { FIRST_PAPER, orderOf, tagsIn } from "./order";

const TAG = "MK-1335-CW-25238-011";

describe("a pasted list", () => {
  it("has one tag in each line or cell, each once, without the blanks around it", () => {
    expect(tagsIn(`${TAG}\r\n MK 2 \tMK,3;${TAG}\n\n`)).toEqual([TAG, "MK 2", "MK,3"]);
  });

  it("is empty where nothing is pasted", () => {
    expect(tagsIn(" \n\t")).toEqual([]);
  });
});

describe("an order", () => {
  it("has only what its paper needs", () => {
    expect(orderOf([TAG], FIRST_PAPER)).toEqual({ tags: [TAG], formato: "a4-3x8", saltar: 0, codigo: "tag" });
    expect(orderOf([TAG], { ...FIRST_PAPER, formato: "rollo-62", saltar: "x" })).toEqual({
      tags: [TAG],
      formato: "rollo-62",
      saltar: 0,
      codigo: "tag",
    });
  });

  it("takes millimetres with a comma or a point", () => {
    const grid = { ...FIRST_PAPER.grid, columnas: "2", filas: "6", margen_superior_mm: "12,9", separacion_vertical_mm: "2.5" };
    expect(orderOf([TAG], { ...FIRST_PAPER, formato: "a4-libre", grid })?.cuadricula).toEqual({
      columnas: 2,
      filas: 6,
      margen_superior_mm: 12.9,
      margen_izquierdo_mm: 0,
      separacion_horizontal_mm: 0,
      separacion_vertical_mm: 2.5,
    });
  });

  it.each(["", "0", "-1", "3x", "100"])("is none while the columns are %j", (columnas) => {
    expect(orderOf([TAG], { ...FIRST_PAPER, formato: "a4-libre", grid: { ...FIRST_PAPER.grid, columnas } })).toBeNull();
  });

  it("is none without a label, or with used labels that are no number", () => {
    expect(orderOf([], FIRST_PAPER)).toBeNull();
    expect(orderOf([TAG], { ...FIRST_PAPER, saltar: "dos" })).toBeNull();
  });
});
