// The dark bar on top of every screen: who or what the screen is for at the left, connection and settings at the right.
import type { ReactNode } from "react";

import styles from "./TopBar.module.css";

export function TopBar({ children, end }: { children: ReactNode; end: ReactNode }) {
  return (
    <header className={styles.bar}>
      <div className={styles.start}>{children}</div>
      <div className={styles.end}>{end}</div>
    </header>
  );
}
