// The examinations of one spool, on its card: what waits, what came out, and the buttons for whoever may act.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";

import { listExams } from "@/api/ndt";
import type { SpoolCard, Worker } from "@/api/types";
import { useWords } from "@/i18n";
import { Button } from "@/ui/Button";
import { Card } from "@/ui/Card";
import { ExamRow } from "./ExamRow";
import styles from "./Ndt.module.css";
import { RequestDialog } from "./RequestDialog";
import { mayRequest } from "./roles";
import { NDT_KEY, useNdtNews } from "./useNdt";

const SHOWN_MAX = 100;

/** Shows nothing on a spool without examinations, except to a supervisor, who can ask for one. */
export function SpoolExams({ card, worker }: { card: SpoolCard; worker: Worker }) {
  const t = useWords();
  const [asking, setAsking] = useState(false);
  const requests = mayRequest(worker) && !card.retirado;
  const { data } = useQuery({
    queryKey: [NDT_KEY, "spool", card.tag_spool],
    queryFn: ({ signal }) => listExams({ tag: card.tag_spool, limit: SHOWN_MAX }, signal),
    enabled: card.ndt !== "" || asking,
  });
  useNdtNews();
  if (card.ndt === "" && !requests) return null;
  const exams = card.ndt === "" ? [] : (data?.ensayos ?? []);
  return (
    <Card as="section" aria-labelledby="exams" className={styles.card}>
      <h3 id="exams" className={styles.heading}>
        {t("ndt.of_spool")}
      </h3>
      {exams.length > 0 && (
        <ul className={styles.rows}>
          {exams.map((exam) => (
            <ExamRow key={exam.id} exam={exam} worker={worker} defects={data?.defectos ?? []} withTag={false} />
          ))}
        </ul>
      )}
      <div className={styles.buttons}>
        {requests && (
          <Button size="large" onClick={() => setAsking(true)}>
            {t("ndt.request")}
          </Button>
        )}
        {exams.length > 0 && (
          <Link to="/ensayos" className={styles.link}>
            {t("ndt.see_all")}
          </Link>
        )}
      </div>
      {asking && data && <RequestDialog card={card} worker={worker} methods={data.metodos} onClose={() => setAsking(false)} />}
    </Card>
  );
}
