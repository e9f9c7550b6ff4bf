// What a wall board sees at any other address: what it is enrolled for, and the way to the board.
import { Link } from "@tanstack/react-router";

import { useWords } from "@/i18n";
import styles from "./Enrol.module.css";

export function BoardOnly({ name }: { name: string }) {
  const t = useWords();
  return (
    <main className={styles.page}>
      <h1 className={styles.title}>{t("enrol.board_only", { name })}</h1>
      <p className={styles.buttons}>
        <Link to="/tablero" className={styles.link}>
          {t("enrol.show_board")}
        </Link>
      </p>
    </main>
  );
}
