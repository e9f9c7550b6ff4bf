// Who holds which spool, longest first; when there are more rows than fit, the pages change by themselves.
import { useState } from "react";

import type { Occupied } from "@/api/occupied";
import { useWords } from "@/i18n";
import { useReadErrorText } from "@/live/hooks";
import { ageOf, type Age } from "@/shop/age";
import { clockText, dayOf, type ShopMinute } from "@/shop/clock";
import { OperationIcon } from "@/shop/OperationIcon";
import { classes } from "@/ui/classes";
import { EmptyState } from "@/ui/EmptyState";
import { Loading } from "@/ui/Loading";
import { PauseIcon, WarnIcon } from "@/ui/icons";

import { usePages, useRowsThatFit } from "./pages";
import { shortTag } from "./shortTag";
import styles from "./HeldSpools.module.css";

interface HeldSpoolsProps {
  occupied: readonly Occupied[] | undefined;
  failing: boolean;
  now: ShopMinute;
}

export function HeldSpools({ occupied, failing, now }: HeldSpoolsProps) {
  const t = useWords();
  const readError = useReadErrorText();
  const [paused, setPaused] = useState(false);
  const [fit, grid] = useRowsThatFit();
  const { rows, page, pages } = usePages(occupied ?? [], fit, paused);
  return (
    <section className={styles.held} aria-labelledby="held">
      <div className={styles.head}>
        <h2 id="held" className={styles.title}>
          {t("board.held")} <strong className={styles.count}>{occupied?.length ?? "–"}</strong>
        </h2>
        {pages > 1 && (
          <div className={styles.pages}>
            <p>{t("board.page", { page, pages })}</p>
            <button
              type="button"
              className={styles.rest}
              aria-pressed={paused}
              aria-label={t("board.rest")}
              onClick={() => setPaused(!paused)}
            >
              <PauseIcon className={styles.icon} />
            </button>
          </div>
        )}
      </div>
      <ol className={styles.rows} ref={grid}>
        {rows.map((row) => (
          <Row key={row.tag_spool} row={row} now={now} />
        ))}
      </ol>
      {!occupied && !failing && <Loading label={t("app.loading")} />}
      {!occupied && failing && <EmptyState text={readError} />}
      {occupied?.length === 0 && <p className={styles.none}>{t("board.none_held")}</p>}
    </section>
  );
}

function Row({ row, now }: { row: Occupied; now: ShopMinute }) {
  const t = useWords();
  return (
    <li className={styles.row} data-tag={row.tag_spool}>
      <AgeLabel age={ageOf(row.since, now)} overdue={row.atraso !== null} />
      <strong className={styles.tag} title={row.tag_spool}>
        {shortTag(row.tag_spool)}
      </strong>
      <strong className={styles.who}>{row.ocupado_por}</strong>
      <span className={styles.operation}>
        <OperationIcon operacion={row.operacion} className={styles.icon} />
        {t(`operation.${row.operacion}`)}
      </span>
      <span className={styles.since}>
        <span className={styles.sinceWord}>{t("board.since")} </span>
        {clockText(row.since, dayOf(now))}
      </span>
    </li>
  );
}

/** The colour is never the only sign: there is an icon beside it, and the hours; a spool that is overdue says so. */
function AgeLabel({ age, overdue }: { age: Age; overdue: boolean }) {
  const t = useWords();
  const level = overdue ? "overdue" : age.level;
  return (
    <span className={classes(styles.age, styles[level])} data-level={level}>
      {level !== "fresh" && <WarnIcon className={styles.icon} />}
      <span>{t(`age.${age.words}`, { ...age })}</span>
      {overdue ? (
        <span className={styles.overdueWord}>{t("overdue.word")}</span>
      ) : (
        age.level !== "fresh" && <span className="visually-hidden">, {t(`age.${age.level}`)}</span>
      )}
    </span>
  );
}
