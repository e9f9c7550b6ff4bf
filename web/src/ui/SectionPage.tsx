// One section of the administrator's page: its title, what it is for, what can be done, and its cards below each other.
import type { ReactNode } from "react";

import styles from "./SectionPage.module.css";
import { useStartAtTop } from "./useStartAtTop";

export interface SectionPageProps {
  title: string;
  /** One sentence: what the section is for. */
  intro?: ReactNode;
  /** The buttons beside the title. */
  actions?: ReactNode;
  /** It opened from a list, in the list's place. */
  detail?: boolean;
  children: ReactNode;
}

export function SectionPage({ title, intro, actions, detail = false, children }: SectionPageProps) {
  const heading = useStartAtTop(detail);
  return (
    <div className={styles.section}>
      <header className={styles.head}>
        <div className={styles.words}>
          <h1 className={styles.title} ref={heading} tabIndex={detail ? -1 : undefined}>
            {title}
          </h1>
          {intro !== undefined && <p className={styles.intro}>{intro}</p>}
        </div>
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}
