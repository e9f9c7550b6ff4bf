// A short word with a colour that never speaks alone.
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
