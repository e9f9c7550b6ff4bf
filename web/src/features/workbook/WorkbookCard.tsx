// The Google workbook on the supervisor's page: whether it follows the shop, and what waits for a person.
import type { ReactNode } from "react";

import type { Worker } from "@/api/types";
import type { SyncStatus } from "@/api/sync-status";
import { useWords } from "@/i18n";
import { useUnread } from "@/live/hooks";
import { useWorker } from "@/session/session";
import { Badge } from "@/ui/Badge";
import { Card } from "@/ui/Card";
import { Conflicts } from "./Conflicts";
import { LeftOut } from "./LeftOut";
import { Notices } from "./Notices";
import { PutBack } from "./PutBack";
import { Refusals } from "./Refusals";
import { Stopped } from "./Stopped";
import { TONES, waitsFor } from "./telling";
import { useAgo } from "./useAgo";
import { useSyncStatus } from "./reads";
import styles from "./WorkbookCard.module.css";

/** Nothing when this house has no workbook, and until that is known. */
export function WorkbookCard() {
  const supervisor = useWorker();
  const read = useSyncStatus();
  if (!supervisor || !read.data?.configured) return null;
  return <Shown status={read.data} old={read.isError} supervisor={supervisor} />;
}

function Shown({ status, old, supervisor }: { status: SyncStatus; old: boolean; supervisor: Worker }) {
  const t = useWords();
  const unread = useUnread();
  const tone = TONES[status.state];
  return (
    <Card as="section" aria-labelledby="workbook" accent={tone === "bad" || tone === "warn" ? tone : undefined}>
      <h2 id="workbook" className={styles.title}>
        {t("workbook.title")} <Badge tone={tone}>{t(`workbook.state.${status.state}`)}</Badge>
      </h2>
      {old && <p className={styles.why}>{unread}</p>}
      <Why status={status} />
      {/* Heard when a sheet stops; that its age grows is not news. */}
      <div aria-live="polite" aria-relevant="additions">
        {status.frozen.map((frozen) => (
          <Stopped key={frozen.hoja} frozen={frozen} supervisor={supervisor} />
        ))}
      </div>
      <Facts status={status} />
      <Refusals parked={status.parked} total={status.parked_count} supervisor={supervisor} />
      <LeftOut problems={status.problems} total={status.problem_count} />
      <Notices notices={status.notices} />
      <PutBack cells={status.given_back} total={status.given_back_count} />
      <Conflicts conflicts={status.conflicts} total={status.conflict_count} />
    </Card>
  );
}

function Why({ status }: { status: SyncStatus }) {
  const t = useWords();
  const why = waitsFor(status);
  if (!why) return null;
  return <p className={styles.why}>{why === "reason" ? status.reason : t(`workbook.${why}`)}</p>;
}

function Facts({ status }: { status: SyncStatus }) {
  const t = useWords();
  const ago = useAgo();
  const { rows_waiting: rows, events_waiting: events } = status;
  const since = ago(status.oldest_waiting);
  return (
    <dl className={styles.facts}>
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
