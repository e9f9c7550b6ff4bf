// A record in a list of the office: its name and badges, its facts below, and at the end what can be done with it.
import type { LiHTMLAttributes, ReactNode } from "react";

import styles from "./RecordRow.module.css";

export interface RecordRowProps extends LiHTMLAttributes<HTMLLIElement>, RecordWordsProps {
  icon?: ReactNode;
  /** Its buttons. */
  actions?: ReactNode;
}

export function RecordRow({ icon, name, badges, facts, actions, children, ...rest }: RecordRowProps) {
  return (
    <li className={styles.record} {...rest}>
      {icon}
      <div className={styles.words}>
        <RecordWords name={name} badges={badges} facts={facts} />
        {children}
      </div>
      {actions !== undefined && <div className={styles.actions}>{actions}</div>}
    </li>
  );
}

export interface RecordWordsProps {
  name: ReactNode;
  badges?: ReactNode;
  facts: ReactNode;
}

/** By itself for a record that needs more room than a row. */
export function RecordWords({ name, badges, facts }: RecordWordsProps) {
  return (
    <>
      <p className={styles.line}>
        <strong className={styles.name}>{name}</strong>
        {badges}
      </p>
      <p className={styles.facts}>{facts}</p>
    </>
  );
}
