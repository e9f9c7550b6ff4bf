// A person as initials in a disc, as on the tablets: large enough to be found at a glance.
import { classes } from "./classes";
import styles from "./Face.module.css";

/** `MR(93)` is shown as MR. */
export const initialsOf = (label: string): string => label.replace(/\(.*$/, "");

export function Face({ label, size = "normal" }: { label: string; size?: "normal" | "large" }) {
  return (
    <span className={classes(styles.face, styles[size])} aria-hidden="true">
      {initialsOf(label)}
    </span>
  );
}
