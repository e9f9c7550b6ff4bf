import { describe, expect, it } from "vitest";

import type { UploadedWorkbook } from "@/api/planilla";
import { cellText, firstKind, openUploads, wrongWith } from "./progress";

const NONE = { nuevos: 0, cambiados: 0, retirados: 0, rechazados: 0, iguales: 5, avisos: 0 };
const upload = (id: string, estado: UploadedWorkbook["estado"]): UploadedWorkbook => ({
  id,
  nombre: "a.xlsx",
  bytes: 1,
  estado,
  avance: { hecho: 0, total: 0 },
  resumen: NONE,
  vista: "1",
  error: null,
  subida_por: "AD(1)",
  subida_en: "2026-11-16T08:00:00-03:00",
});

describe("an uploaded workbook", () => {
  it.each([
    ["spools.XLSX", 10, null],
    ["spools.xlsm", 10, "type"],
    ["spools.csv", 10, "type"],
    ["spools.xlsx", 33 * 1024 * 1024, "size"],
    ["spools.xlsx", 0, "empty"],
  ])("%s of %i bytes: %s", (name, size, wrong) => {
    expect(wrongWith({ name, size })).toBe(wrong);
  });

  it("shows what is refused before what is new", () => {
    expect(firstKind({ ...NONE, nuevos: 3, rechazados: 1 })).toBe("rechazo");
    expect(firstKind({ ...NONE, nuevos: 3, cambiados: 1 })).toBe("nuevo");
    expect(firstKind(NONE)).toBeNull();
  });

  it("shows dates as the workbook does, and nothing else", () => {
    expect(cellText("Fecha_Materiales", "2026-11-02")).toBe("02-11-2026");
    expect(cellText("ARM_FECHA_FIN", "2026-11-02T10:42:00")).toBe("02-11-2026 10:42:00");
    expect(cellText("Fecha_Ocupacion", "(al aplicar)")).toBe("(al aplicar)");
    expect(cellText("OT", "2026-11-02")).toBe("2026-11-02");
  });

  it("is taken up again where it was left", () => {
    const uploads = [upload("a", "hecha"), upload("b", "lista"), upload("c", "fallida")];
    expect(openUploads(uploads, null).map(({ id }) => id)).toEqual(["b"]);
    expect(openUploads(uploads, "a").map(({ id }) => id)).toEqual(["a", "b"]); // imported here: its result is shown
  });
});
