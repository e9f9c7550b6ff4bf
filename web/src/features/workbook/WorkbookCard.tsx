// The card about the Google workbook on the supervisor's page: whether it is up to date, and what waits for a person.
import type { ReactNode } from "react";

import type { Worker } from "@/api/types";
import type { SyncStatus } from "@/api/sync-status";
import { useWords } from "@/i18n";
import { useReadErrorText } from "@/live/hooks";
import { useWorker } from "@/session/session";
import { useAgo } from "@/shop/useAgo";
import { Badge } from "@/ui/Badge";
import { Card } from "@/ui/Card";
import { Conflicts } from "./Conflicts";
import { LeftOutRows } from "./LeftOutRows";
import { ParkedRows } from "./ParkedRows";
import { RestoredCells } from "./RestoredCells";
import { StoppedSheet } from "./StoppedSheet";
import { TONES, waitingReason } from "./statusText";
import { useSyncStatus } from "./reads";
import { WorkbookNotices } from "./WorkbookNotices";
import styles from "./WorkbookCard.module.css";

/** Shows nothing in a shop without a Google workbook, and until the status is read. */
export function WorkbookCard() {
  const supervisor = useWorker();
  const read = useSyncStatus();
  if (!supervisor || !read.data?.configured) return null;
  return <StatusCard status={read.data} outdated={read.isError} supervisor={supervisor} />;
}

function StatusCard({ status, outdated, supervisor }: { status: SyncStatus; outdated: boolean; supervisor: Worker }) {
  const t = useWords();
  const readError = useReadErrorText();
  const tone = TONES[status.state];
  return (
    <Card as="section" aria-labelledby="workbook" accent={tone === "bad" || tone === "warn" ? tone : undefined}>
      <h2 id="workbook" className={styles.title}>
        {t("workbook.title")} <Badge tone={tone}>{t(`workbook.state.${status.state}`)}</Badge>
      </h2>
      {outdated && <p className={styles.why}>{readError}</p>}
      <WaitingReason status={status} />
      {/* Screen readers announce a sheet that stops, but not that its age grows. */}
      <div aria-live="polite" aria-relevant="additions">
        {status.frozen.map((frozen) => (
          <StoppedSheet key={frozen.hoja} frozen={frozen} supervisor={supervisor} />
        ))}
      </div>
      <SyncFacts status={status} />
      <ParkedRows parked={status.parked} total={status.parked_count} supervisor={supervisor} />
      <LeftOutRows problems={status.problems} total={status.problem_count} />
      <WorkbookNotices notices={status.notices} />
      <RestoredCells cells={status.given_back} total={status.given_back_count} />
      <Conflicts conflicts={status.conflicts} total={status.conflict_count} />
    </Card>
  );
}

function WaitingReason({ status }: { status: SyncStatus }) {
  const t = useWords();
  const reason = waitingReason(status);
  if (!reason) return null;
  return <p className={styles.why}>{reason === "reason" ? status.reason : t(`workbook.${reason}`)}</p>;
}

function SyncFacts({ status }: { status: SyncStatus }) {
  const t = useWords();
  const ago = useAgo();
  const { rows_waiting: rows, events_waiting: events } = status;
  const since = ago(status.oldest_waiting);
  return (
    <dl>
      <Fact name={t("workbook.last_sync")}>{ago(status.last_sync) ?? t("workbook.never")}</Fact>
      <Fact name={t("workbook.last_read")}>{ago(status.last_read) ?? t("workbook.never")}</Fact>
      <Fact name={t("workbook.waiting")}>
        {since ? t("workbook.queue", { rows, events, since }) : t("workbook.empty_queue")}
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={styles.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
