// The PIN pad with what goes wrong above it: for signing in, for the lock screen, and for a supervisor's action.
import { useWords } from "@/i18n";
import { PIN_DIGITS, PinPad } from "@/ui/PinPad";
import { classes } from "@/ui/classes";
import styles from "./PinEntry.module.css";
import { usePinAttempt } from "./usePinAttempt";

export interface PinEntryProps {
  /** Throws what the server refused, or that it did not answer. */
  onPin: (pin: string) => Promise<void>;
  onBack?: (() => void) | undefined;
}

export function PinEntry({ onPin, onBack }: PinEntryProps) {
  const t = useWords();
  const { busy, problem, mayTryAgain, attempt, submit } = usePinAttempt(onPin);
  return (
    <div className={styles.entry} data-pin-entry>
      <p className={classes(styles.problem, mayTryAgain && styles.again)} role="alert">
        {problem}
      </p>
      <PinPad
        key={attempt}
        disabled={busy}
        onPin={submit}
        countLabel={(typed) => t("pin.typed", { typed, digits: PIN_DIGITS })}
        deleteLabel={t("pin.delete")}
        back={onBack && { label: t("app.back"), onBack }}
      />
    </div>
  );
}
