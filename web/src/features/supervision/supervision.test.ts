import { describe, expect, it } from "vitest";

import type { History, HistoryEvent, SpoolCard } from "@/api/types";
import { addressOf } from "./address";
import { byJoint, doneJoints, reopenable } from "./corrections";
import { inchesByDay, percent, yieldByDay } from "./figures";
import { daysOf, isPeriod, periodOf } from "./period";
import { motivo } from "./reasons";
import { factsOf, ranges, timeline } from "./history";

const event = (seq: number, evento_tipo: string, at: string, more: Partial<HistoryEvent> = {}): HistoryEvent => ({
  seq,
  id: `${seq}`,
  evento_tipo,
  worker: "MR(93)",
  worker_id: 93,
  operacion: "ARM",
  accion: "",
  n_union: null,
  at,
  metadata: {},
  ...more,
});

const session: History["sessions"][number] = {
  worker: "MR(93)",
  worker_id: 93,
  operacion: "ARM",
  inicio: "2026-11-13T08:00:00-03:00",
  fin: "2026-11-13T12:00:00-03:00",
  duracion: "4h 0m",
  resultado: "COMPLETADO",
  pulgadas: 9,
};

const history: History = {
  tag_spool: "A",
  sessions: [session],
  events: [
    event(1, "INICIAR_SPOOL", "2026-11-13T08:00:00-03:00"),
    event(2, "UNION_ARM_REGISTRADA", "2026-11-13T12:00:00-03:00", { n_union: 1 }),
    event(3, "UNION_ARM_REGISTRADA", "2026-11-13T12:00:00-03:00", { n_union: 2 }),
    event(4, "SPOOL_ARM_COMPLETADO", "2026-11-13T12:00:00-03:00"),
    event(5, "CORRECCION", "2026-11-14T09:00:00-03:00", {
      worker: "SV(21)",
      metadata: { motivo: "Marcado por error", unions: [{ n_union: 2 }] },
    }),
  ],
};

describe("a spool's history", () => {
  it("tells a stretch of work once, with its joints, and what came after above it", () => {
    const items = timeline(history);
    expect(items.map((item) => item.kind)).toEqual(["event", "session"]);
    expect(items[1]).toMatchObject({ kind: "session", joints: [1, 2] });
  });

  it("tells work that was accepted later once for each operation, with its joints", () => {
    const at = "2026-11-14T10:00:00-03:00";
    const late = { ...session, inicio: at, fin: at, resultado: "REGISTRO_TARDIO" };
    const events = [
      event(6, "REGISTRO_TARDIO", at, { n_union: 1 }),
      event(7, "REGISTRO_TARDIO", at, { n_union: 2 }),
      event(8, "REGISTRO_TARDIO", at, { n_union: 1, operacion: "SOLD" }),
      event(9, "RECLAMO_RECHAZADO", at, { metadata: { motivo: "No", trabajo: [{ n_union: 3 }, { n_union: null }] } }),
    ];
    const items = timeline({ tag_spool: "A", sessions: [late, { ...late, operacion: "SOLD" }], events });
    expect(items.map((item) => (item.kind === "session" ? item.joints : factsOf(item.event).joints))).toEqual([[3], [1], [1, 2]]);
  });

  it("says why and which joints", () => {
    const [last] = timeline(history);
    expect(last?.kind === "event" && factsOf(last.event)).toEqual({ motivo: "Marcado por error", joints: [2], edit: null, photos: [], exam: "" });
  });

  it("shows what a person changed in the sheet", () => {
    const metadata = { columna: "Ocupado_Por", anterior: "MR(93)", nuevo: null };
    expect(factsOf(event(6, "EDICION_EXTERNA", "", { metadata })).edit).toEqual({
      column: "Ocupado_Por",
      was: "MR(93)",
      now: "",
    });
  });

  it("writes runs of joints short", () => {
    expect(ranges([3, 1, 2, 7, 9, 10])).toBe("1–3, 7, 9–10");
    expect(ranges([])).toBe("");
  });
});

describe("the period of the figures", () => {
  it("includes today and both ends", () => {
    expect(daysOf(periodOf("week", "2026-11-15"))).toHaveLength(7);
    expect(periodOf("today", "2026-11-15")).toEqual({ desde: "2026-11-15", hasta: "2026-11-15" });
    expect(daysOf(periodOf("month", "2026-03-10"))[0]).toBe("2026-02-09");
  });

  it("is refused here when the server would refuse it", () => {
    expect(isPeriod({ desde: "2026-11-15", hasta: "2026-11-14" })).toBe(false);
    expect(isPeriod({ desde: "", hasta: "2026-11-14" })).toBe(false);
    expect(isPeriod({ desde: "2020-01-01", hasta: "2026-11-14" })).toBe(false);
  });
});

describe("figures", () => {
  const days = ["2026-11-14", "2026-11-15"];
  const quality = { inspecciones: 3, rechazos: 1, primeras: 3, aprobadas_a_la_primera: 2 };

  it("say 0 inches for a day without work, and nothing for one without inspection", () => {
    expect(inchesByDay(days, [{ dia: "2026-11-15", pulgadas: 4.5, uniones: 2, spools: 1 }])).toEqual([0, 4.5]);
    expect(yieldByDay(days, [{ dia: "2026-11-15", ...quality, rendimiento_a_la_primera: 0.6667 }])).toEqual([null, 66.7]);
    expect(percent(0)).toBe(0);
  });
});

describe("corrections", () => {
  const joint = { dn_union: 3, tipo_union: "BW", datos_incompletos: null, arm_worker: "MR(93)", sol_worker: null };
  const card = {
    version_workflow: "v4.0",
    uniones: [
      { ...joint, n_union: 1, arm_fecha_fin: "2026-11-13T12:00:00-03:00", sol_fecha_fin: null },
      { ...joint, n_union: 2, arm_fecha_fin: null, sol_fecha_fin: null },
    ],
    acciones: [
      { accion: "TOMAR", operacion: "SOLD" },
      { accion: "CORREGIR", operacion: "ARM" },
    ],
  } as unknown as SpoolCard;

  it("offer what the server would accept", () => {
    expect(reopenable(card)).toEqual(["ARM"]);
    expect(doneJoints(card, "ARM").map((one) => one.n_union)).toEqual([1]);
  });

  it("go by joints only where joints are worked", () => {
    expect(byJoint(card, "ARM")).toBe(true);
    expect(byJoint(card, "METROLOGIA")).toBe(false);
    expect(byJoint({ ...card, version_workflow: "v3.0" }, "ARM")).toBe(false);
  });

  it("need a reason, picked or typed", () => {
    expect([motivo(null, "  "), motivo("Fin de turno", ""), motivo(null, " roto "), motivo("Otro", "roto")]).toEqual([
      "",
      "Fin de turno",
      "roto",
      "Otro: roto",
    ]);
  });
});

describe("the address", () => {
  it("survives whatever is typed into it", () => {
    expect(addressOf({ ver: "spool", spool: "A/1" })).toEqual({ ver: "spool", spool: "A/1" });
    expect(addressOf({ ver: "x", spool: 123 })).toEqual({ spool: "123" });
    expect(addressOf({ ver: "ahora", spool: [] })).toEqual({});
  });
});
