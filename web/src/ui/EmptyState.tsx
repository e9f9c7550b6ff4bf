// Nothing to show, or something went wrong: said plainly, with what can be done about it.
import type { ReactNode } from "react";

import styles from "./EmptyState.module.css";

/** `heading`: it is all there is on the page, and its title. */
export function EmptyState({ text, heading, children }: { text: string; heading?: boolean; children?: ReactNode }) {
  const Text = heading ? "h1" : "p";
  return (
    <div className={styles.empty}>
      <Text>{text}</Text>
      {children}
    </div>
  );
}
