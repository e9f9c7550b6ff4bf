import { describe, expect, it } from "vitest";

import type { ChainStep } from "@/api/cadena";
import type { Joint, SpoolCard, Worker } from "@/api/types";
import { cardAfter, openJoints } from "./provisional";

const MR: Worker = { id: 93, nombre: "Mauricio", apellido: "Rodríguez", label: "MR(93)", roles: ["Armador", "Soldador"] };
const AT = "2026-11-16T14:02:11Z";

const joint = (n_union: number, facts: Partial<Joint> = {}): Joint => ({
  n_union,
  dn_union: 4,
  tipo_union: "BW",
  datos_incompletos: null,
  arm_worker: null,
  arm_fecha_fin: null,
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
  ...facts,
});

const free: SpoolCard = {
  tag_spool: "A",
  ndt: "",
  ot: null,
  nv: null,
  version_workflow: "v3.0",
  total_uniones: null,
  uniones_sold_necesarias: 0,
  uniones_arm_completadas: 0,
  uniones_sold_completadas: 0,
  arm: "PENDIENTE",
  sold: "PENDIENTE",
  metrologia: "PENDIENTE",
  reparacion: "",
  ocupado_por: null,
  ocupado_por_id: null,
  operacion_actual: null,
  fecha_ocupacion: null,
  armador: null,
  soldador: null,
  fecha_materiales: "2026-11-02",
  fecha_armado: null,
  fecha_soldadura: null,
  fecha_qc_metrologia: null,
  ciclo: 0,
  estado_detalle: "Disponible",
  atraso: null,
  version: "1",
  uniones: [],
  pulgadas_arm: 0,
  pulgadas_sold: 0,
  retirado: false,
  inconsistencias: [],
  acciones: [{ accion: "TOMAR", operacion: "ARM" }],
  motivos: [],
  notas: [],
  mas_notas: false,
};
const byJoint: SpoolCard = {
  ...free,
  version_workflow: "v4.0",
  total_uniones: 3,
  uniones_sold_necesarias: 2,
  uniones: [joint(1), joint(2), joint(3, { tipo_union: "FW" })],
  acciones: [{ accion: "INICIAR", operacion: "ARM" }],
};

const after = (card: SpoolCard, ...steps: ChainStep[]): SpoolCard =>
  cardAfter(card, { steps: steps.map((step) => ({ hecho_en: AT, ...step })), worker: MR, armOnly: ["FW"] });
const offers = ({ acciones }: SpoolCard): string[] => acciones.map(({ accion, operacion }) => `${accion} ${operacion}`);

describe("a card after provisional steps", () => {
  it("without steps is the card", () => {
    expect(after(free)).toBe(free);
  });

  it("is in the hands of who took it, who may end it", () => {
    const taken = after(free, { accion: "TOMAR", operacion: "ARM" });
    expect(taken).toMatchObject({ ocupado_por: "MR(93)", ocupado_por_id: 93, operacion_actual: "ARM", arm: "EN_PROGRESO" });
    expect(Date.parse(taken.fecha_ocupacion ?? "")).toBe(Date.parse(AT));
    expect(offers(taken)).toEqual(["COMPLETAR ARM", "PAUSAR ARM", "CANCELAR ARM"]);
  });

  it("does not repeat a sentence of the server that is about the time before", () => {
    expect(after(free, { accion: "TOMAR", operacion: "ARM" }).estado_detalle).toBe("");
  });

  it("completed goes on with the next operation of the same person", () => {
    const done = after(free, { accion: "TOMAR", operacion: "ARM" }, { accion: "COMPLETAR", operacion: "ARM" });
    expect(done).toMatchObject({ ocupado_por: null, arm: "COMPLETADO" });
    expect(offers(done)).toEqual(["TOMAR SOLD"]);
  });

  it("paused can be taken again", () => {
    const paused = after(free, { accion: "TOMAR", operacion: "ARM" }, { accion: "PAUSAR", operacion: "ARM" });
    expect(paused).toMatchObject({ ocupado_por_id: null, arm: "PAUSADO" });
    expect(offers(paused)).toContain("TOMAR ARM");
  });

  it("by joint offers FINALIZAR, and then what is left", () => {
    const taken = after(byJoint, { accion: "INICIAR", operacion: "ARM" });
    expect(offers(taken)).toEqual(["FINALIZAR ARM"]);
    const some = after(byJoint, { accion: "INICIAR", operacion: "ARM" }, { accion: "FINALIZAR", operacion: "ARM", uniones: [1, 3] });
    expect(some).toMatchObject({ ocupado_por: null, arm: "PAUSADO", uniones_arm_completadas: 2 });
    expect(some.uniones[0]?.arm_worker).toBe("MR(93)");
    expect(offers(some)).toEqual(["INICIAR ARM", "INICIAR SOLD"]);
    expect(openJoints(some.uniones, "SOLD", ["FW"])).toEqual([1]);
  });

  it("is complete only when every joint that the operation needs is done", () => {
    const all = after(byJoint, { accion: "INICIAR", operacion: "ARM" }, { accion: "FINALIZAR", operacion: "ARM", uniones: [1, 2, 3] });
    expect(all.arm).toBe("COMPLETADO");
    const fewer = after({ ...byJoint, total_uniones: 4 }, { accion: "FINALIZAR", operacion: "ARM", uniones: [1, 2, 3] });
    expect(fewer.arm).toBe("PAUSADO"); // a joint has no row yet
  });

  it("never takes a joint from who did it before", () => {
    const done = { ...byJoint, uniones: [joint(1, { arm_worker: "LP(7)", arm_fecha_fin: "2026-11-10T10:00:00-03:00" }), joint(2), joint(3)] };
    const card = after(done, { accion: "FINALIZAR", operacion: "ARM", uniones: [1, 2] });
    expect(card.uniones.map(({ arm_worker }) => arm_worker)).toEqual(["LP(7)", "MR(93)", null]);
  });

  it("without a ticked joint is free, and nothing is done", () => {
    const card = after(byJoint, { accion: "INICIAR", operacion: "ARM" }, { accion: "FINALIZAR", operacion: "ARM", uniones: [] });
    expect(card.uniones_arm_completadas).toBe(0);
    expect(offers(card)).toEqual(["INICIAR ARM"]);
  });

  it("is the same when the server has done a step already", () => {
    const steps: ChainStep[] = [{ accion: "INICIAR", operacion: "ARM" }, { accion: "FINALIZAR", operacion: "ARM", uniones: [1] }];
    const once = after(byJoint, ...steps);
    expect(after(once, ...steps)).toEqual(once);
  });

  it("repaired is not offered again", () => {
    const rejected: SpoolCard = { ...free, metrologia: "RECHAZADO", reparacion: "PENDIENTE", acciones: [{ accion: "TOMAR", operacion: "REPARACION" }] };
    const taken = after(rejected, { accion: "TOMAR", operacion: "REPARACION" });
    expect(offers(taken)).toEqual(["COMPLETAR REPARACION", "PAUSAR REPARACION", "CANCELAR REPARACION"]);
    expect(offers(after(rejected, { accion: "TOMAR", operacion: "REPARACION" }, { accion: "COMPLETAR", operacion: "REPARACION" }))).toEqual([]);
    expect(offers(after(rejected, { accion: "TOMAR", operacion: "REPARACION" }, { accion: "PAUSAR", operacion: "REPARACION" }))).toEqual(["TOMAR REPARACION"]);
  });
});
