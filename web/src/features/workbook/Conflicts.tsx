// Cells that a person and the floor changed at the same time: already settled, kept to be looked at. The latest first.
import type { SheetConflict } from "@/api/sync-status";
import { useWords } from "@/i18n";
import { Places } from "./Places";
import { listed } from "./telling";
import { useAgo } from "./useAgo";

export function Conflicts({ conflicts, total }: { conflicts: readonly SheetConflict[]; total: number }) {
  const t = useWords();
  const ago = useAgo();
  const { shown, more } = listed([...conflicts].reverse(), total);
  const places = shown.map(({ at, hoja, fila, columna, antes, taller, planilla, queda }) => ({
    place: [hoja, t("workbook.row", { n: fila }), columna, ago(at)].filter(Boolean).join(" · "),
    said: `${t("workbook.conflict", { antes, taller, planilla })} ${t(`workbook.stands.${queda}`)}`,
  }));
  return <Places title={t("workbook.conflicts", { count: total })} places={places} more={more} />;
}
