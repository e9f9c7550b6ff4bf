// A list of places of the workbook (sheet, row, column), each with a sentence about it.
import { useId, type ReactNode } from "react";

import { useWords } from "@/i18n";
import styles from "./WorkbookCard.module.css";

export interface PlaceListProps {
  title: string;
  places: readonly { place: string; text: string }[];
  /** How many are not in `places`. */
  more: number;
  children?: ReactNode;
}

export function PlaceList({ title, places, more, children }: PlaceListProps) {
  const t = useWords();
  const id = useId();
  if (places.length === 0) return <p className={styles.none}>{title}</p>;
  return (
    <section className={styles.part} aria-labelledby={id}>
      <h3 id={id} className={styles.heading}>
        {title}
      </h3>
      <ul>
        {places.map(({ place, text }) => (
          <li key={`${place} ${text}`} className={styles.place}>
            <strong>{place}</strong>
            <p>{text}</p>
          </li>
        ))}
        {more > 0 && <li className={styles.place}>{t("workbook.more", { n: more })}</li>}
      </ul>
      {children}
    </section>
  );
}
