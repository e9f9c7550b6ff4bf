// A coloured dot for the state of the connection, with its word beside it; where room is short only screen readers get the word.
import styles from "./ConnectionDot.module.css";
import { classes } from "./classes";

export interface ConnectionDotProps {
  state: "live" | "polled" | "connecting" | "offline";
  label: string;
}

export function ConnectionDot({ state, label }: ConnectionDotProps) {
  return (
    <span className={styles.connection} role="status" data-connection={state} title={label}>
      <span className={classes(styles.dot, styles[state])} aria-hidden="true" />
      <span className={styles.label}>{label}</span>
    </span>
  );
}
