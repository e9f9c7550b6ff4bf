import { describe, expect, it } from "vitest";

import { needsPin } from "./claim";

describe("who types a PIN", () => {
  const worker = (...roles: ("Armador" | "Supervisor")[]) => ({ worker: { id: 1, nombre: "A", apellido: "B", label: "AB(1)", roles } });
  it("is everybody, and in mode device only who has privileges", () => {
    expect(needsPin("pin", worker("Armador"))).toBe(true);
    expect(needsPin("device", worker("Armador"))).toBe(false);
    expect(needsPin("device", worker("Armador", "Supervisor"))).toBe(true);
    expect(needsPin("device", { badge: "1234" })).toBe(false);
    expect(needsPin("device", { badge: "1234", withPin: true })).toBe(true);
  });
});
