// The card on the supervisor's page about qualifications of welders that end within 30 days or have ended, longest overdue first.
import { useQuery } from "@tanstack/react-query";

import { listEndingQualifications, type EndingQualification } from "@/api/soldadura";
import { useWords } from "@/i18n";
import { useReadErrorText } from "@/live/hooks";
import { useAccess } from "@/session/access";
import { dayText } from "@/shop/clock";
import { useReportPollInterval } from "@/shop/pollInterval";
import { Badge } from "@/ui/Badge";
import { ButtonLink } from "@/ui/ButtonLink";
import { EmptyState } from "@/ui/EmptyState";
import { TitledCard } from "@/ui/TitledCard";
import { NextIcon } from "@/ui/icons";
import { shownNotices, urgencyOf } from "./notices";
import styles from "./QualificationNotices.module.css";

const TONES = { ended: "bad", today: "warn", soon: "warn" } as const;

/** Shows nothing while none ends. */
export function QualificationNotices() {
  const t = useWords();
  const readError = useReadErrorText();
  const isOpen = useAccess().access?.modo === "open";
  const read = useQuery({
    queryKey: ["supervision", "calificaciones"],
    queryFn: ({ signal }) => listEndingQualifications(signal),
    refetchInterval: useReportPollInterval(),
  });
  const all = read.data ?? [];
  if (all.length === 0 && (read.data !== undefined || !read.isError)) return null;
  const { shown, more } = shownNotices(all);
  return (
    <TitledCard title={t("qualifications.title")} badge={<Badge tone="warn">{all.length}</Badge>} accent="warn">
      {read.data === undefined && <EmptyState text={readError} />}
      <ul>
        {shown.map((notice) => (
          <Notice key={JSON.stringify([notice.worker_id, notice.proceso, notice.documento])} notice={notice} />
        ))}
      </ul>
      {more > 0 && <p>{t("qualifications.more", { count: more })}</p>}
      {!isOpen && (
        <ButtonLink to="/administracion/soldadura">
          {t("qualifications.open")}
          <NextIcon size={22} />
        </ButtonLink>
      )}
    </TitledCard>
  );
}

function Notice({ notice }: { notice: EndingQualification }) {
  const t = useWords();
  const { worker, proceso, documento, causa, ultimo_dia, dias } = notice;
  const urgency = urgencyOf(notice);
  return (
    <li className={styles.row} data-qualification={documento}>
      <p className={styles.line}>
        <strong>{worker}</strong>
        <span>{proceso}</span>
        <Badge tone={TONES[urgency]}>{t(`qualifications.${urgency}`, { count: Math.abs(dias) })}</Badge>
      </p>
      <p className={styles.facts}>
        <span>{documento}</span>
        <span>{t(`qualifications.why.${causa}`, { day: dayText(ultimo_dia) })}</span>
      </p>
    </li>
  );
}
