// The bar on top: what this is, how fresh it is, and the shop's clock.
import type { ReactNode } from "react";

import { useLanguage, useWords } from "@/i18n";
import { timeOf, wall, type ShopMinute } from "@/shop/clock";
import { classes } from "@/ui/classes";
import { SpoolIcon } from "@/ui/icons";
import type { Link } from "./reads";
import styles from "./Header.module.css";

interface HeaderProps {
  now: ShopMinute;
  link: Link;
  /** When the list was last read, epoch ms of this machine; 0: never. */
  readAt: number;
  settings?: ReactNode;
}

export function Header({ now, link, readAt, settings }: HeaderProps) {
  const t = useWords();
  return (
    <header className={styles.header}>
      <SpoolIcon className={styles.logo} />
      <p className={styles.question}>{t("board.question")}</p>
      {settings && <div className={styles.settings}>{settings}</div>}
      <LinkState link={link} readAt={readAt} now={now} />
      <Clock now={now} />
    </header>
  );
}

function LinkState({ link, readAt, now }: { link: Link; readAt: number; now: ShopMinute }) {
  const t = useWords();
  const stale = link === "offline" && readAt > 0;
  return (
    <p className={classes(styles.link, styles[link])} role="status" data-connection={link}>
      <span className={styles.dot} aria-hidden="true" />
      <span>
        {t(`board.link.${link}`)}
        {stale && <strong className={styles.stale}>{t("board.read_at", { time: timeAt(readAt, now) })}</strong>}
      </span>
    </p>
  );
}

/** This machine's clock read in the shop's zone: close enough for "since when". */
const timeAt = (at: number, { offsetMin }: ShopMinute): string => timeOf({ at, offsetMin });

function Clock({ now }: { now: ShopMinute }) {
  const language = useLanguage();
  const locale = language === "en" ? "en-GB" : "es-CL";
  const today = wall(now);
  return (
    <p className={styles.clock}>
      <time className={styles.time}>{timeOf(now)}</time>
      <span className={styles.date}>
        <span>{today.toLocaleDateString(locale, { timeZone: "UTC", weekday: "long" })}</span>
        <span>{today.toLocaleDateString(locale, { timeZone: "UTC", day: "numeric", month: "short" })}</span>
      </span>
    </p>
  );
}
