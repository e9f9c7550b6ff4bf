// The warning on a spool's screen that a tap on it has no answer yet.
import { useWords } from "@/i18n";
import type { Tap } from "@/taps/tap";
import { Badge } from "@/ui/Badge";
import { Outcome } from "@/ui/Outcome";
import { TapButtons, useTapText, useUnsentReason } from "./DropTap";
import styles from "./Unsent.module.css";

export function UnsentTap({ tap }: { tap: Tap }) {
  const t = useWords();
  const tapText = useTapText();
  const unsentReason = useUnsentReason();
  return (
    <Outcome tone="warn" text={`${t("list.unsent")}: ${tapText(tap)}`}>
      <p className={styles.explain}>
        {tap.sent === false && <Badge tone="signal">{t("provisional.badge")}</Badge>} {tap.about.worker} · {unsentReason(tap)}
      </p>
      <TapButtons tap={tap} />
    </Outcome>
  );
}
