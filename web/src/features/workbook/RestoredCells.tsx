// People's own cells that a write of Carrete hit while rows or columns were being moved. Carrete has restored them; the list lets
// people check.
import type { RestoredCell } from "@/api/sync-status";
import { useWords } from "@/i18n";
import { useAgo } from "@/shop/useAgo";
import { PlaceList } from "./PlaceList";
import { shortList } from "./statusText";

export function RestoredCells({ cells, total }: { cells: readonly RestoredCell[]; total: number }) {
  const t = useWords();
  const ago = useAgo();
  if (total === 0) return null;
  const { shown, more } = shortList([...cells].reverse(), total);
  const places = shown.map(({ at, hoja, fila, columna, carrete, repuesto }) => ({
    place: [hoja, t("workbook.row", { n: fila }), columna, ago(at)].filter(Boolean).join(" · "),
    text: repuesto === "" ? t("workbook.given_back_empty", { carrete }) : t("workbook.given_back", { carrete, repuesto }),
  }));
  return <PlaceList title={t("workbook.given_back_cells", { count: total })} places={places} more={more} />;
}
