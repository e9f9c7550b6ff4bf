// What can be done on a screen, at its lower edge where the thumbs are. Stays in sight while the rest scrolls.
import type { ReactNode } from "react";

import styles from "./ActionBar.module.css";
import { classes } from "./classes";

export function ActionBar({ children, className }: { children: ReactNode; className?: string | undefined }) {
  return <div className={classes(styles.bar, className)}>{children}</div>;
}
