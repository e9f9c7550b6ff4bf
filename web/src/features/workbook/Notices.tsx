// What a person should know about the workbook although nothing was left out.
import type { SheetProblem } from "@/api/sync-status";
import { useWords } from "@/i18n";
import { Places } from "./Places";
import { listed } from "./telling";
import { useNamed } from "./useNamed";

export function Notices({ notices }: { notices: readonly SheetProblem[] }) {
  const t = useWords();
  const named = useNamed();
  const total = notices.length;
  if (total === 0) return null;
  const { shown, more } = listed(notices, total);
  return <Places title={t("workbook.notices", { count: total })} places={shown.map(named)} more={more} />;
}
