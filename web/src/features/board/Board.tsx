// The wall board: who has what and since when, what waits where, inches today. Nobody touches it, for days.
import type { ReactNode } from "react";

import { useWords } from "@/i18n";
import { useAwake, useServerState } from "@/live/hooks";
import { dayOf, useShopMinute } from "@/shop/clock";
import { Aside } from "./Aside";
import { Header } from "./Header";
import { Held } from "./Held";
import { Moves } from "./Moves";
import { useBoard } from "./reads";
import styles from "./Board.module.css";

/** `settings`: the way to the language and theme of this screen. */
export function Board({ settings }: { settings?: ReactNode }) {
  const t = useWords();
  const now = useShopMinute();
  useAwake();
  const { occupied, stages, inches } = useBoard(dayOf(now));
  const link = useServerState();
  return (
    <main className={styles.board}>
      <h1 className="only-heard">{t("board.title")}</h1>
      <Header now={now} link={link} readAt={occupied.dataUpdatedAt} settings={settings} />
      <Held occupied={occupied.data} failing={occupied.isError} now={now} />
      <Aside stages={stages.data} inches={inches.data} />
      <Moves today={dayOf(now)} />
    </main>
  );
}
