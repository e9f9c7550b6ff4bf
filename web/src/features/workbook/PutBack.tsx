// People's own cells that a write of Carrete hit while rows or columns were being moved: put back, shown so that they can be checked.
import type { RestoredCell } from "@/api/sync-status";
import { useWords } from "@/i18n";
import { Places } from "./Places";
import { listed } from "./telling";
import { useAgo } from "./useAgo";

export function PutBack({ cells, total }: { cells: readonly RestoredCell[]; total: number }) {
  const t = useWords();
  const ago = useAgo();
  if (total === 0) return null;
  const { shown, more } = listed([...cells].reverse(), total);
  const places = shown.map(({ at, hoja, fila, columna, carrete, repuesto }) => ({
    place: [hoja, t("workbook.row", { n: fila }), columna, ago(at)].filter(Boolean).join(" · "),
    said: repuesto === "" ? t("workbook.given_back_empty", { carrete }) : t("workbook.given_back", { carrete, repuesto }),
  }));
  return <Places title={t("workbook.given_back_cells", { count: total })} places={places} more={more} />;
}
