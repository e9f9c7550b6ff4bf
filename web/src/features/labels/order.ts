// What is printed on which paper: a list as people paste it, the fields of a free grid, and the order for the server. Pure functions.
import type { LabelCode, LabelFormat, LabelGrid, LabelOrder } from "@/api/etiquetas";

export const FORMATS: readonly LabelFormat[] = ["a4-3x8", "a4-libre", "rollo-62", "rollo-100x50"];
export const GRID_FIELDS = [
  "columnas",
  "filas",
  "margen_superior_mm",
  "margen_izquierdo_mm",
  "separacion_horizontal_mm",
  "separacion_vertical_mm",
] as const;
export type GridField = (typeof GRID_FIELDS)[number];
export type GridText = Record<GridField, string>;

/** What a person chose for the paper; numbers as they were typed. */
export interface Paper {
  formato: LabelFormat;
  grid: GridText;
  saltar: string;
  codigo: LabelCode;
}

export const FIRST_PAPER: Paper = {
  formato: "a4-3x8",
  grid: {
    columnas: "3",
    filas: "8",
    margen_superior_mm: "0",
    margen_izquierdo_mm: "0",
    separacion_horizontal_mm: "0",
    separacion_vertical_mm: "0",
  },
  saltar: "0",
  codigo: "tag",
};

/** One tag in each line, or cells of a spreadsheet side by side; each tag once. A tag may have blanks, commas and slashes. */
export const tagsIn = (text: string): string[] => [...new Set(text.split(/[\n\r\t;]+/).map((tag) => tag.trim()).filter((tag) => tag !== ""))];

export const isSheet = (formato: LabelFormat): boolean => formato === "a4-3x8" || formato === "a4-libre";

/** Null while a number is missing or wrong: then nothing is asked of the server. */
export function orderOf(tags: readonly string[], paper: Paper): LabelOrder | null {
  const saltar = isSheet(paper.formato) ? wholeNumber(paper.saltar) : 0;
  const cuadricula = paper.formato === "a4-libre" ? gridOf(paper.grid) : undefined;
  if (tags.length === 0 || saltar === null || cuadricula === null) return null;
  return { tags: [...tags], formato: paper.formato, saltar, codigo: paper.codigo, ...(cuadricula && { cuadricula }) };
}

function gridOf(text: GridText): LabelGrid | null {
  const columnas = wholeNumber(text.columnas);
  const filas = wholeNumber(text.filas);
  const millimetres = GRID_FIELDS.slice(2).map((field) => decimalNumber(text[field]));
  if (!columnas || !filas || millimetres.some((each) => each === null)) return null;
  const [top = 0, left = 0, across = 0, down = 0] = millimetres.map((each) => each ?? 0);
  return {
    columnas,
    filas,
    margen_superior_mm: top,
    margen_izquierdo_mm: left,
    separacion_horizontal_mm: across,
    separacion_vertical_mm: down,
  };
}

const wholeNumber = (text: string): number | null => (/^\d{1,2}$/.test(text.trim()) ? Number(text) : null);

/** With a comma or a point. */
const decimalNumber = (text: string): number | null => (/^\d{1,2}([.,]\d{1,2})?$/.test(text.trim()) ? Number(text.trim().replace(",", ".")) : null);
