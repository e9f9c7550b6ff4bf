// The foot of the board: the latest events, and what the colours mean.
import { useWords } from "@/i18n";
import { LONG_MIN, OVER_MIN } from "@/shop/age";
import { clockText } from "@/shop/clock";
import { classes } from "@/ui/classes";
import { WarnIcon } from "@/ui/icons";
import { useMoves, type Move } from "./last-moves";
import { shortTag } from "./shortTag";
import styles from "./Moves.module.css";

export function Moves({ today }: { today: string }) {
  const t = useWords();
  const moves = useMoves();
  return (
    <footer className={styles.foot}>
      <section aria-label={t("board.moves")} className={styles.moves}>
        {moves.length === 0 && <p className={styles.quiet}>{t("board.no_moves")}</p>}
        <ol>
          {moves.map((move) => (
            <MoveLine key={`${move.version}${move.event_type}${move.at}`} move={move} today={today} />
          ))}
        </ol>
      </section>
      <ul className={styles.legend} aria-label={t("board.legend")}>
        {(["long", "over"] as const).map((level) => (
          <li key={level} className={classes(styles.sign, styles[level])}>
            <WarnIcon className={styles.icon} />
            {t("board.more_than", { hours: (level === "long" ? LONG_MIN : OVER_MIN) / 60 })}
          </li>
        ))}
      </ul>
    </footer>
  );
}

function MoveLine({ move, today }: { move: Move; today: string }) {
  const t = useWords();
  const worker = move.worker ?? t("board.sheet");
  return (
    <li className={styles.move}>
      <time>{clockText(move.at, today)}</time> {t(`board.move.${move.event_type}`, { worker, tag: shortTag(move.tag_spool) })}
    </li>
  );
}
