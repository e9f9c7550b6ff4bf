// Places of the workbook, each with what is said about it.
import { useId, type ReactNode } from "react";

import { useWords } from "@/i18n";
import styles from "./WorkbookCard.module.css";

export interface PlacesProps {
  title: string;
  places: readonly { place: string; said: string }[];
  /** How many are there beside these. */
  more: number;
  children?: ReactNode;
}

export function Places({ title, places, more, children }: PlacesProps) {
  const t = useWords();
  const id = useId();
  if (places.length === 0) return <p className={styles.none}>{title}</p>;
  return (
    <section className={styles.part} aria-labelledby={id}>
      <h3 id={id} className={styles.heading}>
        {title}
      </h3>
      <ul>
        {places.map(({ place, said }) => (
          <li key={`${place} ${said}`} className={styles.place}>
            <strong>{place}</strong>
            <p>{said}</p>
          </li>
        ))}
        {more > 0 && <li className={styles.place}>{t("workbook.more", { n: more })}</li>}
      </ul>
      {children}
    </section>
  );
}
