// A short word on a colour. The word carries the meaning; the colour only repeats it.
import type { ReactNode } from "react";

import styles from "./Badge.module.css";
import { classes } from "./classes";

export interface BadgeProps {
  tone?: "plain" | "solid" | "signal" | "good" | "bad" | "warn";
  children: ReactNode;
  className?: string | undefined;
}

export function Badge({ tone = "plain", children, className }: BadgeProps) {
  return <span className={classes(styles.badge, styles[tone], className)}>{children}</span>;
}
