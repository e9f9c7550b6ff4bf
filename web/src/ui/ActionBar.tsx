// What can be done on a screen, at its lower edge where the thumbs are. Stays in sight while the rest scrolls.
import type { ReactNode } from "react";

import styles from "./ActionBar.module.css";
import { NoticePlace } from "./notices";

/** A notice makes the bar grow upwards, over what scrolls: no button moves. */
export function ActionBar({ children, className }: { children: ReactNode; className?: string | undefined }) {
  return (
    <div className={styles.bar}>
      <NoticePlace />
      <div className={className}>{children}</div>
    </div>
  );
}
