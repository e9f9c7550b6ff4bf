// Remarks about the workbook for people; no row or cell was left out because of them.
import type { SheetProblem } from "@/api/sync-status";
import { useWords } from "@/i18n";
import { PlaceList } from "./PlaceList";
import { shortList } from "./statusText";
import { useProblemText } from "./useProblemText";

export function WorkbookNotices({ notices }: { notices: readonly SheetProblem[] }) {
  const t = useWords();
  const problemText = useProblemText();
  const total = notices.length;
  if (total === 0) return null;
  const { shown, more } = shortList(notices, total);
  return <PlaceList title={t("workbook.notices", { count: total })} places={shown.map(problemText)} more={more} />;
}
