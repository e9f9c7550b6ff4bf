// The shop's workbook to download, and the empty template.
import { EXPORT_ADDRESS, TEMPLATE_ADDRESS } from "@/api/planilla";
import { useWords } from "@/i18n";
import { FileLink } from "@/ui/FileLink";
import { TitledCard } from "@/ui/TitledCard";
import styles from "./ImportWorkbook.module.css";

export function ExportCard() {
  const t = useWords();
  return (
    <TitledCard title={t("import.export_title")}>
      <p className={styles.hint}>{t("import.export_why")}</p>
      <div className={styles.buttons}>
        <FileLink href={EXPORT_ADDRESS}>{t("import.export")}</FileLink>
        <FileLink href={TEMPLATE_ADDRESS}>{t("import.template")}</FileLink>
      </div>
    </TitledCard>
  );
}
