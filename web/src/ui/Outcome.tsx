// The outcome of a tap, in large: what happened, or why not. Screen readers read it at once.
import type { ReactNode } from "react";

import { CheckIcon, WarnIcon } from "./icons";
import styles from "./Outcome.module.css";
import { classes } from "./classes";

export function Outcome({ tone, text, children }: { tone: "good" | "bad" | "warn"; text: string; children?: ReactNode }) {
  return (
    <div className={classes(styles.outcome, styles[tone])} role={tone === "bad" ? "alert" : "status"} data-outcome={tone}>
      {tone === "good" ? <CheckIcon size={56} strokeWidth={4} /> : <WarnIcon size={48} />}
      <p className={styles.text}>{text}</p>
      {children && <div className={styles.more}>{children}</div>}
    </div>
  );
}
