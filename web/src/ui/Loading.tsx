// Shown while something loads. Appears after a moment, so that a quick load does not flicker.
import styles from "./Loading.module.css";

export function Loading({ label }: { label: string }) {
  return (
    <p className={styles.loading} role="status">
      <span className={styles.wheel} aria-hidden="true" />
      {label}
    </p>
  );
}
