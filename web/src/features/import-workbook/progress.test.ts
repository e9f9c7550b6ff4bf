import { describe, expect, it } from "vitest";

import type { UploadedWorkbook } from "@/api/planilla";
import { firstKind, openUpload, wrongWith } from "./progress";

const NONE = { nuevos: 0, cambiados: 0, retirados: 0, rechazados: 0, iguales: 5, avisos: 0 };
const upload = (id: string, estado: UploadedWorkbook["estado"], subida_en: string): UploadedWorkbook => ({
  id,
  nombre: "a.xlsx",
  bytes: 1,
  estado,
  avance: { hecho: 0, total: 0 },
  resumen: NONE,
  vista: "1",
  error: null,
  subida_por: "AD(1)",
  subida_en,
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

  it("is taken up again where it was left", () => {
    const uploads = [upload("a", "lista", "2026-11-16T08:00"), upload("b", "hecha", "2026-11-16T09:00")];
    expect(openUpload(uploads, new Set())?.id).toBe("a");
    expect(openUpload(uploads, new Set(["b"]))?.id).toBe("b"); // applied here: its result is shown
    expect(openUpload([], new Set())).toBeNull();
  });
});
