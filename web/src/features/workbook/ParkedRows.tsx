// Rows and events that Google refuses: they are parked outside the queue until a supervisor lets the lane try again.
import type { Worker } from "@/api/types";
import type { Parked } from "@/api/sync-status";
import { retryParked } from "@/api/sync-retry";
import { useWords } from "@/i18n";
import { Button } from "@/ui/Button";
import { useDecide } from "./decide";
import { PlaceList } from "./PlaceList";
import { shortList } from "./statusText";
import styles from "./WorkbookCard.module.css";

interface ParkedRowsProps {
  parked: readonly Parked[];
  total: number;
  supervisor: Worker;
}

export function ParkedRows({ parked, total, supervisor }: ParkedRowsProps) {
  const t = useWords();
  const retry = useDecide((key) => retryParked(supervisor.id, key));
  if (total === 0) return null;
  const { shown, more } = shortList(parked, total);
  const places = shown.map(({ hoja, tag_spool, n_union, motivo }) => ({
    place: [hoja, tag_spool, n_union && t("workbook.joint", { n: n_union })].filter(Boolean).join(" · "),
    text: motivo,
  }));
  return (
    <PlaceList title={t("workbook.parked", { count: total })} places={places} more={more}>
      {retry.refusal && (
        <p role="alert" className={styles.refusal}>
          {retry.refusal}
        </p>
      )}
      <Button wide disabled={retry.sending} onClick={retry.send}>
        {retry.sending ? t("list.sending") : t("workbook.retry")}
      </Button>
    </PlaceList>
  );
}
