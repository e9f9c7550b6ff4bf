// Rows and cells of the workbook that are left out until a person repairs them there.
import type { SheetProblem } from "@/api/sync-status";
import { useWords } from "@/i18n";
import { Places } from "./Places";
import { listed } from "./telling";
import { useNamed } from "./useNamed";

export function LeftOut({ problems, total }: { problems: readonly SheetProblem[]; total: number }) {
  const t = useWords();
  const named = useNamed();
  if (total === 0) return null;
  const { shown, more } = listed(problems, total);
  return <Places title={t("workbook.left_out", { count: total })} places={shown.map(named)} more={more} />;
}
