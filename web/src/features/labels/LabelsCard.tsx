// The way to the labels from the supervisor's page.
import { useWords } from "@/i18n";
import { ButtonLink } from "@/ui/ButtonLink";
import { TitledCard } from "@/ui/TitledCard";
import { PrintIcon } from "@/ui/icons";
import styles from "./LabelsCard.module.css";

export function LabelsCard() {
  const t = useWords();
  return (
    <TitledCard title={t("labels.title")}>
      <p className={styles.why}>{t("labels.open_why")}</p>
      <ButtonLink to="/etiquetas">
        <PrintIcon />
        {t("labels.open")}
      </ButtonLink>
    </TitledCard>
  );
}
