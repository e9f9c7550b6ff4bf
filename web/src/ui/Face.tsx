// A person as initials and number in a disc: large enough to be found at a glance, and two people with the same initials differ.
import { classes } from "./classes";
import styles from "./Face.module.css";

/** `MR(93)` is shown as MR. */
export const initialsOf = (label: string): string => label.replace(/\(.*$/, "");

/** `MR(93)`: 93. */
const numberOf = (label: string): string => /\((\d+)\)/.exec(label)?.[1] ?? "";

/** What is read in the disc: the name of a button that shows only the disc must begin with it. */
export const textOfFace = (label: string): string => `${initialsOf(label)}${numberOf(label)}`;

export function Face({ label, size = "normal" }: { label: string; size?: "normal" | "large" }) {
  return (
    <span className={classes(styles.face, styles[size])} aria-hidden="true">
      {initialsOf(label)}
      <span className={styles.number}>{numberOf(label)}</span>
    </span>
  );
}
