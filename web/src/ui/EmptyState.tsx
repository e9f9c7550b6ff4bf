// Nothing to show, or something went wrong: said plainly, with what can be done about it.
import type { ReactNode } from "react";

import styles from "./EmptyState.module.css";

export function EmptyState({ text, children }: { text: string; children?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <p>{text}</p>
      {children}
    </div>
  );
}
