// Replaces a list that is empty or could not be read: a sentence, and what can be done about it.
import type { ReactNode } from "react";

import styles from "./EmptyState.module.css";

/** `heading`: the sentence is all there is on the page, so it is the page's title. */
export function EmptyState({ text, heading, children }: { text: string; heading?: boolean; children?: ReactNode }) {
  const Text = heading ? "h1" : "p";
  return (
    <div className={styles.empty}>
      <Text>{text}</Text>
      {children}
    </div>
  );
}
