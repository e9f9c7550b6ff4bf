// The bar on top of the board: its title, the state of the connection, and the shop's clock.
import type { ReactNode } from "react";

import type { ServerState } from "@/api/server-state";
import { useLanguage, useWords } from "@/i18n";
import { shopTimeAsUtc, shopTimeAt, timeOf, type ShopMinute } from "@/shop/clock";
import { classes } from "@/ui/classes";
import { SpoolIcon } from "@/ui/icons";
import styles from "./Header.module.css";

interface HeaderProps {
  now: ShopMinute;
  link: ServerState;
  /** When the list was last read, epoch ms of this computer; 0: never. */
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
      <LinkState link={link} readAt={readAt} />
      <Clock now={now} />
    </header>
  );
}

function LinkState({ link, readAt }: { link: ServerState; readAt: number }) {
  const t = useWords();
  const stale = link === "offline" && readAt > 0;
  return (
    <p className={classes(styles.link, styles[link])} role="status" data-connection={link}>
      <span className={styles.dot} aria-hidden="true" />
      <span>
        {t(`board.link.${link}`)}
        {stale && <strong className={styles.stale}>{t("board.read_at", { time: timeOf(shopTimeAt(readAt)) })}</strong>}
      </span>
    </p>
  );
}

function Clock({ now }: { now: ShopMinute }) {
  const language = useLanguage();
  const locale = language === "en" ? "en-GB" : "es-CL";
  const today = shopTimeAsUtc(now);
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
