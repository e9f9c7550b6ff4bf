import { describe, expect, it } from "vitest";

import type { ClaimedWork, Reclamo } from "@/api/reclamos";
import { acceptable, DecisionKeys, decisionOf, inchesOf, isOwn, tappedAt } from "./decision";

const work = (n_union: number | null, aceptable = true): ClaimedWork => ({
  operacion: "ARM",
  n_union,
  dn_union: n_union === null ? null : 4.125,
  tipo_union: "BW",
  aceptable,
  motivo: aceptable ? null : "La hizo LP(7).",
  aceptado: null,
});
const reclamo = { pasos: [{ accion: "INICIAR", hecho_en: "2026-11-16T14:00:00Z" }, { accion: "FINALIZAR", hecho_en: "2026-11-16T15:00:00Z" }], trabajo: [work(1), work(2), work(3, false)] } as unknown as Reclamo;

describe("a decision about a reclamo", () => {
  it("accepts what is ticked and nothing that somebody else has registered meanwhile", () => {
    const accepted = acceptable(reclamo, new Set(["ARM 1", "ARM 3"]));
    expect(decisionOf(accepted, 21, "2026-11-16", " visto ")).toEqual({
      supervisor_id: 21,
      aceptar: [{ operacion: "ARM", n_union: 1 }],
      dia: "2026-11-16",
      motivo: "visto",
    });
    expect(inchesOf(accepted)).toBe(4.125);
  });

  it("never accepts the supervisor's own work", () => {
    const own = { ...reclamo, worker_id: 21 };
    expect([isOwn(own, { id: 21 }), isOwn(own, { id: 22 })]).toEqual([true, false]);
  });

  it("may be about the whole spool", () => {
    const whole = { ...reclamo, trabajo: [work(null)] };
    expect(decisionOf(acceptable(whole, new Set(["ARM *"])), 21, "2026-11-16", "x").aceptar).toEqual([{ operacion: "ARM", n_union: null }]);
  });

  it("starts from the day of the work itself", () => {
    expect(tappedAt(reclamo)).toBe("2026-11-16T15:00:00Z");
    expect(tappedAt({ ...reclamo, pasos: [{ accion: "COMPLETAR" }] })).toBeNull();
  });

  it("keeps its key until it is answered, so that a lost answer is heard at the next tap", () => {
    let made = 0;
    const keys = new DecisionKeys(() => `k${++made}`);
    const none = decisionOf([], 21, "2026-11-16", "x");
    expect(keys.of("r", none)).toBe("k1");
    expect(keys.of("r", decisionOf([], 21, "2026-11-16", "x"))).toBe("k1");
    expect(keys.of("r", decisionOf([], 21, "2026-11-15", "x"))).toBe("k2");
    expect(keys.of("other", none)).toBe("k3");
    keys.answered("r", none);
    expect(keys.of("r", none)).toBe("k4");
  });
});
