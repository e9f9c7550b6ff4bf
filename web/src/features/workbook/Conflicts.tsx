// Cells that a person and the floor changed at the same time, the latest first. The merge has already chosen a value; the list is
// for information.
import type { SheetConflict } from "@/api/sync-status";
import { useWords } from "@/i18n";
import { useAgo } from "@/shop/useAgo";
import { PlaceList } from "./PlaceList";
import { shortList } from "./statusText";

export function Conflicts({ conflicts, total }: { conflicts: readonly SheetConflict[]; total: number }) {
  const t = useWords();
  const ago = useAgo();
  const { shown, more } = shortList([...conflicts].reverse(), total);
  const places = shown.map(({ at, hoja, fila, columna, antes, taller, planilla, queda }) => ({
    place: [hoja, t("workbook.row", { n: fila }), columna, ago(at)].filter(Boolean).join(" · "),
    text: `${t("workbook.conflict", { antes, taller, planilla })} ${t(`workbook.stands.${queda}`)}`,
  }));
  return <PlaceList title={t("workbook.conflicts", { count: total })} places={places} more={more} />;
}
