// One section of the administrator's page: its title, what it is for, what can be done, and its cards below each other.
import type { ReactNode } from "react";

import styles from "./SectionPage.module.css";

export interface SectionPageProps {
  title: string;
  /** One sentence: what the section is for. */
  intro?: ReactNode;
  /** The buttons beside the title. */
  actions?: ReactNode;
  children: ReactNode;
}

export function SectionPage({ title, intro, actions, children }: SectionPageProps) {
  return (
    <div className={styles.section}>
      <header className={styles.head}>
        <div className={styles.words}>
          <h1 className={styles.title}>{title}</h1>
          {intro !== undefined && <p className={styles.intro}>{intro}</p>}
        </div>
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}
