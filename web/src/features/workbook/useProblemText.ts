// A problem of the workbook as a place (sheet, row, column) and a sentence.
import type { SheetProblem } from "@/api/sync-status";
import { useWords } from "@/i18n";

export function useProblemText() {
  const t = useWords();
  return ({ hoja, fila, columna, motivo }: SheetProblem) => ({
    place: [hoja, fila > 0 && t("workbook.row", { n: fila }), columna].filter(Boolean).join(" · "),
    text: motivo,
  });
}
