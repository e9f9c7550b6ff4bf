import { describe, expect, it } from "vitest";

import { changesOf, dayRuns, isOvernight, nextShift, typesOf, wrongIn, type ShopFields } from "./values";

const SHIFT = { nombre: "Día", dias: [1, 2, 3, 4, 5], desde: "07:00", hasta: "15:00" };
const HOURS = { ARM: 12, SOLD: 12, REPARACION: 0 };
const LIMITS = { ocupado: HOURS, pausado: HOURS, inspeccion: 48 };
const FIELDS: ShopFields = {
  nombre_taller: "Taller",
  zona_horaria: "America/Santiago",
  tipos_solo_arm: ["FW"],
  turnos: [SHIFT],
  limites_atraso: LIMITS,
  foto_en_rechazo: false,
  calificacion: "",
  ndt_metodos: ["RT"],
  ndt_reglas: [],
  ndt_adicionales: 0,
  ndt_en_ciclo: false,
  ndt_bloquea: true,
};

describe("the shop's settings in the form", () => {
  it("takes types however they are typed", () => {
    expect(typesOf(" fw; Let,,fw  ")).toEqual(["FW", "LET"]);
    expect(typesOf("")).toEqual([]);
  });

  it("sends only what is changed", () => {
    expect(changesOf(FIELDS, FIELDS)).toEqual({});
    expect(changesOf({ ...FIELDS, nombre_taller: "Otro", turnos: [] }, FIELDS)).toEqual({ nombre_taller: "Otro", turnos: [] });
    expect(changesOf({ ...FIELDS, calificacion: "" }, { ...FIELDS, calificacion: "exigir" })).toEqual({ calificacion: "" });
  });

  it.each([
    ["zone", { ...FIELDS, zona_horaria: "America/Santiagoo" }],
    ["zone", { ...FIELDS, zona_horaria: "" }],
    ["shift_name", { ...FIELDS, turnos: [{ ...SHIFT, nombre: " " }] }],
    ["shift_days", { ...FIELDS, turnos: [{ ...SHIFT, dias: [] }] }],
    ["shift_hours", { ...FIELDS, turnos: [{ ...SHIFT, hasta: "07:00" }] }],
    ["shift_hours", { ...FIELDS, turnos: [{ ...SHIFT, desde: "" }] }],
    ["same_name", { ...FIELDS, turnos: [SHIFT, { ...SHIFT, nombre: "día " }] }],
    ["limits", { ...FIELDS, limites_atraso: { ...LIMITS, inspeccion: Number.NaN } }],
    ["limits", { ...FIELDS, limites_atraso: { ...LIMITS, pausado: { ...HOURS, SOLD: -1 } } }],
    ["limits", { ...FIELDS, limites_atraso: { ...LIMITS, ocupado: { ...HOURS, ARM: 8761 } } }],
    [null, FIELDS],
  ])("says what is wrong: %s", (wrong, fields) => {
    expect(wrongIn(fields)).toBe(wrong);
  });

  it("knows a shift that ends on the next day", () => {
    expect(isOvernight({ ...SHIFT, desde: "23:00", hasta: "07:00" })).toBe(true);
    expect(isOvernight(SHIFT)).toBe(false);
  });

  it("lets the next shift begin where the last one ends", () => {
    expect(nextShift([SHIFT], "Tarde")).toMatchObject({ nombre: "Tarde", desde: "15:00", dias: SHIFT.dias });
  });

  it("says days as runs", () => {
    expect(dayRuns([5, 1, 2, 3])).toEqual([
      [1, 3],
      [5, 5],
    ]);
    expect(dayRuns([])).toEqual([]);
  });
});
