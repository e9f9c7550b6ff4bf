// A bar for the done part of a total, with its text beside it.
import styles from "./Meter.module.css";

export function Meter({ done, total, text }: { done: number; total: number; text: string }) {
  const part = total > 0 ? Math.min(1, done / total) : 0;
  return (
    <span className={styles.meter}>
      <span className={styles.track} aria-hidden="true">
        <span className={styles.fill} style={{ width: `${part * 100}%` }} />
      </span>
      <span className={styles.text}>{text}</span>
    </span>
  );
}
