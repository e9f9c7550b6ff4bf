import { describe, expect, it } from "vitest";

import { isReady } from "./setupFields";

const fields = { codigo: "7KQ2-M9XA", id: "500", nombre: "Ana", apellido: "Díaz", pin: "482915", again: "482915", dispositivo: "Oficina" };

describe("the setup page", () => {
  it("is complete with the code, a number, the same PIN twice and a name for the device", () => {
    expect(isReady(fields)).toBe(true);
    expect(isReady({ ...fields, nombre: "", apellido: "" })).toBe(true); // somebody of the shop
  });

  it.each([{ codigo: " " }, { id: "0" }, { id: "9a" }, { pin: "48291", again: "48291" }, { again: "482916" }, { dispositivo: "" }])(
    "is not complete with %o",
    (change) => {
      expect(isReady({ ...fields, ...change })).toBe(false);
    },
  );
});
