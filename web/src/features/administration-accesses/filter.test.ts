import { describe, expect, it } from "vitest";

import { accessFilter, byDay, toneOf } from "./filter";

describe("the filter of access events", () => {
  it("takes from the address what the server understands, and leaves out the rest", () => {
    expect(accessFilter({ tipo: "ENTRO", persona: 93, dispositivo: "d-1a", desde: "2026-11-01", hasta: "2026-11-16" })).toEqual({
      tipo: "ENTRO",
      persona: 93,
      dispositivo: "d-1a",
      desde: "2026-11-01",
      hasta: "2026-11-16",
    });
    expect(accessFilter({ tipo: "TODO", persona: "x", dispositivo: "Ñ ", desde: "ayer", hasta: null })).toEqual({});
    expect(accessFilter({ dispositivo: 4711 })).toEqual({ dispositivo: "4711" });
  });
});

describe("access events", () => {
  it("are shown day by day", () => {
    const at = (time: string) => ({ at: time });
    expect(byDay([at("2026-11-16T10:00"), at("2026-11-16T09:00"), at("2026-11-15T23:00")]).map(([day, all]) => [day, all.length])).toEqual([
      ["2026-11-16", 2],
      ["2026-11-15", 1],
    ]);
  });

  it("are red where somebody was kept out, and green where a lock was lifted", () => {
    expect(toneOf({ tipo: "PIN_BLOQUEADO", detalle: null })).toBe("bad");
    expect(toneOf({ tipo: "PIN_DESBLOQUEADO", detalle: null })).toBe("good");
    expect(toneOf({ tipo: "PIN_BLOQUEADO", detalle: "desbloqueado" })).toBe("good");
    expect(toneOf({ tipo: "ROL_CAMBIADO", detalle: "Armador → NDT" })).toBe("plain");
  });
});
