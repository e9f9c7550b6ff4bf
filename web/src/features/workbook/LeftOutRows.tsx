// Rows and cells of the workbook that are not read until a person repairs them there.
import type { SheetProblem } from "@/api/sync-status";
import { useWords } from "@/i18n";
import { PlaceList } from "./PlaceList";
import { shortList } from "./statusText";
import { useProblemText } from "./useProblemText";

export function LeftOutRows({ problems, total }: { problems: readonly SheetProblem[]; total: number }) {
  const t = useWords();
  const problemText = useProblemText();
  if (total === 0) return null;
  const { shown, more } = shortList(problems, total);
  return <PlaceList title={t("workbook.left_out", { count: total })} places={shown.map(problemText)} more={more} />;
}
