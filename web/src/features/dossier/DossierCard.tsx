// The way to the dossiers from the supervisor's page.
import { useWords } from "@/i18n";
import { ButtonLink } from "@/ui/ButtonLink";
import { TitledCard } from "@/ui/TitledCard";
import { NoteIcon } from "@/ui/icons";
import styles from "./Dossier.module.css";

export function DossierCard() {
  const t = useWords();
  return (
    <TitledCard title={t("dossier.title")}>
      <p className={styles.hint}>{t("dossier.open_why")}</p>
      <ButtonLink to="/dossier">
        <NoteIcon />
        {t("dossier.open")}
      </ButtonLink>
    </TitledCard>
  );
}
