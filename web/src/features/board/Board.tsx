// The wall board: who holds which spool since when, what waits at each stage, inches today. It runs for days without a touch.
import type { ReactNode } from "react";

import { useWords } from "@/i18n";
import { useKeepStreamOpen, useServerState } from "@/live/hooks";
import { dayOf, useShopMinute } from "@/shop/clock";
import { Header } from "./Header";
import { HeldSpools } from "./HeldSpools";
import { Moves } from "./Moves";
import { QueueAndInches } from "./QueueAndInches";
import { useBoard } from "./reads";
import styles from "./Board.module.css";

/** `settings`: the button for the language and theme of this screen. */
export function Board({ settings }: { settings?: ReactNode }) {
  const t = useWords();
  const now = useShopMinute();
  useKeepStreamOpen();
  const { occupied, stages, inches } = useBoard(dayOf(now));
  const link = useServerState();
  return (
    <main className={styles.board}>
      <h1 className="visually-hidden">{t("board.title")}</h1>
      <Header now={now} link={link} readAt={occupied.dataUpdatedAt} settings={settings} />
      <HeldSpools occupied={occupied.data} failing={occupied.isError} now={now} />
      <QueueAndInches stages={stages.data} inches={inches.data} />
      <Moves today={dayOf(now)} />
    </main>
  );
}
