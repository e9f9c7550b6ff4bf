// What a card shows while its read has brought nothing yet, or failed.
import { useWords } from "@/i18n";
import { useReadErrorText } from "@/live/hooks";
import { EmptyState } from "@/ui/EmptyState";
import { Loading } from "@/ui/Loading";

export function ReadState({ of: read }: { of: { isPending: boolean; isError: boolean; data?: unknown } }) {
  const t = useWords();
  const readError = useReadErrorText();
  if (read.isPending) return <Loading label={t("app.loading")} />;
  return read.isError && read.data === undefined ? <EmptyState text={readError} /> : null;
}
