// A sentence that must not be missed: what went wrong, or what to watch out for. Screen readers read a `bad` one at once.
import type { ReactNode } from "react";

import styles from "./Callout.module.css";
import { classes } from "./classes";

export interface CalloutProps {
  tone: "good" | "bad" | "warn" | "plain";
  children: ReactNode;
}

export function Callout({ tone, children }: CalloutProps) {
  return (
    <div className={classes(styles.callout, styles[tone])} role={tone === "bad" ? "alert" : undefined} data-callout={tone}>
      {children}
    </div>
  );
}
