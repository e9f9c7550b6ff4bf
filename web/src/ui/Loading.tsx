// Something is on its way. Silent for a moment, so that what is quick does not flicker.
import styles from "./Loading.module.css";

export function Loading({ label }: { label: string }) {
  return (
    <p className={styles.loading} role="status">
      <span className={styles.wheel} aria-hidden="true" />
      {label}
    </p>
  );
}
