// A card with a heading: one subject of an office page.
import { useId, type ReactNode } from "react";

import { Card, type CardProps } from "./Card";
import styles from "./TitledCard.module.css";

export interface TitledCardProps {
  title: string;
  /** A badge beside the heading. */
  badge?: ReactNode;
  accent?: CardProps["accent"];
  children: ReactNode;
}

export function TitledCard({ title, badge, accent, children }: TitledCardProps) {
  const id = useId();
  return (
    <Card as="section" aria-labelledby={id} accent={accent} className={styles.card}>
      <h2 className={styles.title}>
        <span id={id}>{title}</span> {badge}
      </h2>
      {children}
    </Card>
  );
}
