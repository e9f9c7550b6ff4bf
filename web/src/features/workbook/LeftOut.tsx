// Rows and cells of the workbook that are left out until a person repairs them there.
import type { SheetProblem } from "@/api/sync-status";
import { useWords } from "@/i18n";
import { Places } from "./Places";
import { listed } from "./telling";

export function LeftOut({ problems, total }: { problems: readonly SheetProblem[]; total: number }) {
  const t = useWords();
  if (total === 0) return null;
  const { shown, more } = listed(problems, total);
  const places = shown.map(({ hoja, fila, columna, motivo }) => ({
    place: [hoja, fila > 0 && t("workbook.row", { n: fila }), columna].filter(Boolean).join(" · "),
    said: motivo,
  }));
  return <Places title={t("workbook.left_out", { count: total })} places={places} more={more} />;
}
