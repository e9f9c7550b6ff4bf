// What waits at each stage, and the inches done today.
import type { PulgadasRow } from "@/api/pulgadas";
import type { Stage, Stages } from "@/api/stages";
import { useWords } from "@/i18n";
import { decimal } from "@/shop/decimal";
import { OperationIcon } from "@/shop/OperationIcon";
import { classes } from "@/ui/classes";
import { WarnIcon } from "@/ui/icons";

import styles from "./QueueAndInches.module.css";

const DONE_BY = ["ARM", "SOLD"] as const;

export function QueueAndInches({ stages, inches }: { stages: Stages | undefined; inches: PulgadasRow[] | undefined }) {
  const t = useWords();
  return (
    <div className={styles.aside}>
      <section aria-labelledby="queue" className={styles.queue}>
        <h2 id="queue" className={styles.title}>
          {t("board.queue")}
        </h2>
        <ul className={styles.stages}>
          {stages?.stages.map((stage) => (
            <StageRow key={stage.operacion} stage={stage} />
          ))}
        </ul>
        <p className={classes(styles.blocked, stages && stages.blocked > 0 && styles.some)}>
          <WarnIcon className={styles.icon} />
          <span>{t("board.blocked")}</span>
          <strong className={styles.number}>{stages?.blocked ?? "–"}</strong>
        </p>
      </section>
      <section aria-labelledby="inches">
        <h2 id="inches" className={styles.title}>
          {t("board.inches")}
        </h2>
        <ul className={styles.inches}>
          {DONE_BY.map((operacion) => (
            <InchesToday key={operacion} operacion={operacion} rows={inches} />
          ))}
        </ul>
      </section>
    </div>
  );
}

function StageRow({ stage }: { stage: Stage }) {
  const t = useWords();
  const { operacion, waiting, in_work, paused } = stage;
  const inspection = operacion === "METROLOGIA"; // instant: nobody holds a spool for it
  return (
    <li className={styles.stage} data-stage={operacion}>
      <OperationIcon operacion={operacion} className={styles.icon} />
      <span className={styles.name}>{t(`operation.${operacion}`)}</span>
      <strong className={styles.number}>{waiting}</strong>
      <span className={styles.more}>{inspection ? t("board.waiting") : t("board.more", { in_work, paused })}</span>
    </li>
  );
}

function InchesToday({ operacion, rows }: { operacion: "ARM" | "SOLD"; rows: PulgadasRow[] | undefined }) {
  const t = useWords();
  const row = rows?.find((candidate) => candidate.operacion === operacion);
  return (
    <li className={styles.done} data-inches={operacion}>
      <span className={styles.name}>{t(`operation.${operacion}`)}</span>
      <strong className={styles.big}>
        {rows ? decimal(row?.pulgadas ?? 0) : "–"}
        <span className={styles.unit}>″</span>
      </strong>
    </li>
  );
}
