// What a wall board sees at any other address: what it is enrolled for, and the way to the board.
import { useWords } from "@/i18n";
import { ButtonLink } from "@/ui/ButtonLink";
import styles from "./Enrol.module.css";

export function BoardOnly({ name }: { name: string }) {
  const t = useWords();
  return (
    <main className={styles.page}>
      <h1 className={styles.title}>{t("enrol.board_only", { name })}</h1>
      <p className={styles.buttons}>
        <ButtonLink to="/tablero" tone="signal" size="large">
          {t("enrol.show_board")}
        </ButtonLink>
      </p>
    </main>
  );
}
