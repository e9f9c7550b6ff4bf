// How far something long has come, over the whole width, with its sentence above.
import styles from "./ProgressBar.module.css";

export interface ProgressBarProps {
  label: string;
  done: number;
  /** 0: not known yet. */
  total: number;
}

export function ProgressBar({ label, done, total }: ProgressBarProps) {
  const part = total > 0 ? Math.min(1, done / total) : 0;
  return (
    <div className={styles.progress}>
      <p className={styles.label} role="status">
        {label}
      </p>
      <div
        className={styles.track}
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        {...(total > 0 && { "aria-valuenow": Math.round(part * 100) })}
      >
        <div className={total > 0 ? styles.fill : styles.unknown} style={total > 0 ? { width: `${part * 100}%` } : undefined} />
      </div>
    </div>
  );
}
