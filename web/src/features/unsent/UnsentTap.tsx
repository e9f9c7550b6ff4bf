// On the spool's own screen: this tap was not answered yet.
import { useWords } from "@/i18n";
import type { Tap } from "@/taps/tap";
import { Outcome } from "@/ui/Outcome";
import { TapButtons, useWhat, useWhy } from "./DropTap";
import styles from "./Unsent.module.css";

export function UnsentTap({ tap }: { tap: Tap }) {
  const t = useWords();
  const what = useWhat();
  const why = useWhy();
  return (
    <Outcome tone="warn" text={`${t("list.unsent")}: ${what(tap)}`}>
      <p className={styles.explain}>
        {tap.about.worker} · {why(tap)}
      </p>
      <TapButtons tap={tap} />
    </Outcome>
  );
}
