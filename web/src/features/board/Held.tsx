// Who has what, longest first; when there are more rows than fit, the pages turn.
import { useState } from "react";

import type { Occupied } from "@/api/occupied";
import { useWords } from "@/i18n";
import { useUnread } from "@/live/hooks";
import { ageOf, type Age } from "@/shop/age";
import { clockText, dayOf, type ShopMinute } from "@/shop/clock";
import { OperationIcon } from "@/shop/OperationIcon";
import { classes } from "@/ui/classes";
import { EmptyState } from "@/ui/EmptyState";
import { Loading } from "@/ui/Loading";
import { PauseIcon, WarnIcon } from "@/ui/icons";

import { useFit, usePages } from "./pages";
import { short } from "./short";
import styles from "./Held.module.css";

interface HeldProps {
  occupied: readonly Occupied[] | undefined;
  failing: boolean;
  now: ShopMinute;
}

export function Held({ occupied, failing, now }: HeldProps) {
  const t = useWords();
  const unread = useUnread();
  const [resting, setResting] = useState(false);
  const [fit, grid] = useFit();
  const { rows, page, pages } = usePages(occupied ?? [], fit, resting);
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
              aria-pressed={resting}
              aria-label={t("board.rest")}
              onClick={() => setResting(!resting)}
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
      {!occupied && failing && <EmptyState text={unread} />}
      {occupied?.length === 0 && <p className={styles.none}>{t("board.none_held")}</p>}
    </section>
  );
}

function Row({ row, now }: { row: Occupied; now: ShopMinute }) {
  const t = useWords();
  return (
    <li className={styles.row} data-tag={row.tag_spool}>
      <AgePlate age={ageOf(row.since, now)} />
      <strong className={styles.tag} title={row.tag_spool}>
        {short(row.tag_spool)}
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

/** The colour never speaks alone: a sign beside it, and the hours themselves. */
function AgePlate({ age }: { age: Age }) {
  const t = useWords();
  return (
    <span className={classes(styles.age, styles[age.level])} data-level={age.level}>
      {age.level !== "fresh" && <WarnIcon className={styles.icon} />}
      {t(`age.${age.words}`, { ...age })}
      {age.level !== "fresh" && <span className="only-heard">, {t(`age.${age.level}`)}</span>}
    </span>
  );
}
