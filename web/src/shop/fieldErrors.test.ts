import { describe, expect, it } from "vitest";

import type { Problem } from "@/api/types";
import { allShown, fieldErrorsOf } from "./fieldErrors";

const refusal = (errors?: unknown): Problem => ({ type: "about:blank", title: "", status: 422, code: "DATOS_INVALIDOS", detail: "", errors });

describe("what a refusal says about fields", () => {
  it("is the first reason of each field, as a sentence", () => {
    const errors = [
      { campo: "dn_min", motivo: "es mayor que DN_Max." },
      { campo: "dn_min", motivo: "otra." },
      { campo: "fecha", motivo: "falta." },
    ];
    expect(fieldErrorsOf(refusal(errors))).toEqual({ dn_min: "Es mayor que DN_Max.", fecha: "Falta." });
  });

  it("is nothing where the server names no field, or in another form", () => {
    expect(fieldErrorsOf(refusal())).toEqual({});
    expect(fieldErrorsOf(refusal(["fecha", null, { campo: 1, motivo: "x" }]))).toEqual({});
  });

  it("is shown whole only if the form has every field", () => {
    expect(allShown({ fecha: "Falta." }, ["fecha", "vence"])).toBe(true);
    expect(allShown({ fecha: "Falta.", cuerpo: "No es válido." }, ["fecha"])).toBe(false);
    expect(allShown({}, ["fecha"])).toBe(false);
  });
});
