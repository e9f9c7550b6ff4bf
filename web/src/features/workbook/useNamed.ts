// A place of the workbook by sheet, row and column, with what is said about it.
import type { SheetProblem } from "@/api/sync-status";
import { useWords } from "@/i18n";

export function useNamed() {
  const t = useWords();
  return ({ hoja, fila, columna, motivo }: SheetProblem) => ({
    place: [hoja, fila > 0 && t("workbook.row", { n: fila }), columna].filter(Boolean).join(" · "),
    said: motivo,
  });
}
