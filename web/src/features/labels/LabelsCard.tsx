// The way to the labels from the supervisor's page.
import { Link } from "@tanstack/react-router";

import { useWords } from "@/i18n";
import { TitledCard } from "@/ui/TitledCard";
import { PrintIcon } from "@/ui/icons";
import styles from "./LabelsCard.module.css";

export function LabelsCard() {
  const t = useWords();
  return (
    <TitledCard title={t("labels.title")}>
      <p className={styles.why}>{t("labels.open_why")}</p>
      <Link to="/etiquetas" className={styles.link}>
        <PrintIcon />
        {t("labels.open")}
      </Link>
    </TitledCard>
  );
}
