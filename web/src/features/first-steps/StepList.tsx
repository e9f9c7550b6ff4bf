// The four steps of the first start beside each other: which are done, and which one is shown.
import type { StepName } from "@/api/pasos";
import { useWords } from "@/i18n";
import { classes } from "@/ui/classes";
import { CheckIcon } from "@/ui/icons";
import styles from "./FirstSteps.module.css";
import { STEPS } from "./steps";

export interface StepListProps {
  shown: StepName | null;
  isDone: (step: StepName) => boolean;
  /** Missing: the others cannot be opened yet. */
  onOpen?: (step: StepName) => void;
}

export function StepList({ shown, isDone, onOpen }: StepListProps) {
  const t = useWords();
  return (
    <div className={styles.room}>
      <ol className={styles.list} aria-label={t("first_steps.title")}>
        {STEPS.map((step, at) => {
          const done = isDone(step);
          const words = (
            <>
              <span className={classes(styles.number, done && styles.done)} aria-hidden="true">
                {done ? <CheckIcon size={22} strokeWidth={4} /> : at + 1}
              </span>
              <span className={styles.name}>
                {t(`first_steps.step.${step}`)}
                {done && <span className="visually-hidden"> ({t("first_steps.done")})</span>}
              </span>
            </>
          );
          const here = step === shown;
          return (
            <li key={step} className={classes(styles.item, here && styles.here)} aria-current={here ? "step" : undefined}>
              {onOpen && step !== "administrador" ? (
                <button type="button" className={styles.open} onClick={() => onOpen(step)}>
                  {words}
                </button>
              ) : (
                <span className={styles.open}>{words}</span>
              )}
            </li>
          );
        })}
      </ol>
    </div>
  );
}
