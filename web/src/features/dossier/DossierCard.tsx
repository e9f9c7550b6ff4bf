// The way to the dossiers from the supervisor's page.
import { Link } from "@tanstack/react-router";

import { useWords } from "@/i18n";
import { TitledCard } from "@/ui/TitledCard";
import { NoteIcon } from "@/ui/icons";
import styles from "./Dossier.module.css";

export function DossierCard() {
  const t = useWords();
  return (
    <TitledCard title={t("dossier.title")}>
      <p className={styles.hint}>{t("dossier.open_why")}</p>
      <Link to="/dossier" className={styles.link}>
        <NoteIcon />
        {t("dossier.open")}
      </Link>
    </TitledCard>
  );
}
