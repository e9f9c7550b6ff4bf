import { describe, expect, it } from "vitest";

import type { Accion, Motivo, SpoolCard } from "@/api/types";
import { accessOf, reasonKeyOf } from "./access";

const ME = 93;
const motivo = (code: string, more: Partial<Motivo> = {}): Motivo => ({
  operacion: "ARM",
  code,
  detail: "…",
  falta: null,
  ...more,
});
const card = (more: Partial<SpoolCard>): SpoolCard =>
  ({ ocupado_por: null, ocupado_por_id: null, operacion_actual: null, fecha_ocupacion: null, acciones: [], motivos: [], ...more }) as unknown as SpoolCard;
const offering = (...acciones: Accion[]): SpoolCard["acciones"] => acciones.map((accion) => ({ accion, operacion: "ARM" }));
const heldBy = (id: number): Partial<SpoolCard> => ({
  ocupado_por: `X(${id})`,
  ocupado_por_id: id,
  operacion_actual: "ARM",
  fecha_ocupacion: "2026-11-16T08:00:00-03:00",
});

describe("what a worker finds on a spool's screen", () => {
  it("is what the card offers, in either workflow", () => {
    expect(accessOf(card({ acciones: offering("TOMAR") }), ME, "ARM").may).toBe("take");
    expect(accessOf(card({ acciones: offering("INICIAR") }), ME, "ARM").may).toBe("take");
    const mine = card({ ...heldBy(ME), acciones: offering("PAUSAR", "COMPLETAR", "CANCELAR") });
    expect(accessOf(mine, ME, "ARM")).toEqual({ may: "end", holder: null, motivo: null });
  });

  it("is not what is offered for another operation, nor what only supervisors do", () => {
    expect(accessOf(card({ acciones: offering("TOMAR") }), ME, "SOLD").may).toBeNull();
    expect(accessOf(card({ acciones: offering("LIBERAR", "CORREGIR") }), ME, "ARM").may).toBeNull();
  });

  it("is who has it, and no reason beside", () => {
    const theirs = card({ ...heldBy(7), motivos: [motivo("SPOOL_OCCUPIED")] });
    const { may, holder, motivo: reason } = accessOf(theirs, ME, "ARM");
    expect([may, holder?.label, holder?.operacion, reason]).toEqual([null, "X(7)", "ARM", null]);
  });

  it("is who has it and a reason that would remain", () => {
    const theirs = card({ ...heldBy(7), motivos: [motivo("ROL_NO_AUTORIZADO")] });
    const found = accessOf(theirs, ME, "ARM");
    expect([found.holder?.id, found.motivo?.code]).toEqual([7, "ROL_NO_AUTORIZADO"]);
  });

  it("is the inspection with the reason why the spool can only be rejected", () => {
    const open = { operacion: "METROLOGIA" as const };
    const queued = card({ acciones: [{ accion: "INSPECCIONAR", ...open }], motivos: [motivo("NDT_PENDIENTE", open)] });
    const found = accessOf(queued, ME, "METROLOGIA");
    expect([found.may, found.motivo?.code]).toEqual(["inspect", "NDT_PENDIENTE"]);
    expect(reasonKeyOf(motivo("NDT_PENDIENTE", open))).toBe("ndt_pending");
  });

  it("is oneself when it is held for another operation, and only a reason when the role is gone", () => {
    expect(accessOf(card(heldBy(ME)), ME, "SOLD").holder?.id).toBe(ME);
    const found = accessOf(card({ ...heldBy(ME), motivos: [motivo("ROL_NO_AUTORIZADO")] }), ME, "ARM");
    expect([found.holder, found.motivo?.code]).toEqual([null, "ROL_NO_AUTORIZADO"]);
  });
});

describe("a reason", () => {
  it("has a sentence for what is missing, by its code and by the operation", () => {
    expect(reasonKeyOf(motivo("DEPENDENCIAS_NO_SATISFECHAS", { falta: "Fecha_Materiales" }))).toBe("no_materials");
    expect(reasonKeyOf(motivo("OPERACION_NO_DISPONIBLE", { operacion: "REPARACION" }))).toBe("not_rejected");
    expect(reasonKeyOf(motivo("OPERACION_NO_DISPONIBLE", { operacion: "METROLOGIA" }))).toBe("to_be_repaired");
    expect(reasonKeyOf(motivo("SPOOL_BLOQUEADO"))).toBe("blocked");
  });

  it("that this page does not know is left in the server's words", () => {
    expect(reasonKeyOf(motivo("ALGO_NUEVO"))).toBeNull();
    expect(reasonKeyOf(motivo("DEPENDENCIAS_NO_SATISFECHAS", { falta: "otra cosa" }))).toBeNull();
  });
});
