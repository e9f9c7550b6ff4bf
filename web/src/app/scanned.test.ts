import { describe, expect, it } from "vitest";

import type { SpoolCard, Worker } from "@/api/types";
import { operationToOpen } from "./scanned";

const HELPER: Worker = { id: 5, nombre: "Ángela", apellido: "Yáñez", label: "AY(5)", roles: ["Ayudante"] };
const card = (changes: Partial<SpoolCard>): SpoolCard =>
  ({ ocupado_por_id: null, operacion_actual: null, ocupado_por: null, acciones: [], motivos: [], ...changes }) as unknown as SpoolCard;

describe("a scanned spool opens", () => {
  it("for the operation at hand", () => {
    expect(operationToOpen(card({ acciones: [{ accion: "TOMAR", operacion: "SOLD" }] }), HELPER, "ARM")).toBe("ARM");
    expect(operationToOpen(undefined, HELPER, "SOLD")).toBe("SOLD");
  });

  it("for the operation that the worker holds it for", () => {
    expect(operationToOpen(card({ ocupado_por_id: 5, operacion_actual: "SOLD" }), HELPER, "ARM")).toBe("SOLD");
    expect(operationToOpen(card({ ocupado_por_id: 8, operacion_actual: "SOLD" }), HELPER, "ARM")).toBe("ARM");
  });

  it("for the first operation that can be done, where none is at hand", () => {
    expect(operationToOpen(card({ acciones: [{ accion: "INICIAR", operacion: "SOLD" }] }), HELPER, null)).toBe("SOLD");
    expect(operationToOpen(card({}), HELPER, null)).toBe("ARM");
    expect(operationToOpen(undefined, { ...HELPER, roles: [] }, null)).toBe("REPARACION");
  });
});
