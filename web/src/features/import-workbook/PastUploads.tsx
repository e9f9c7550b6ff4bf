// The workbooks that were imported lately, with their reports.
import { reportAddress } from "@/api/planilla";
import { useWords } from "@/i18n";
import { timestampText } from "@/shop/clock";
import { FileLink } from "@/ui/FileLink";
import { TitledCard } from "@/ui/TitledCard";
import styles from "./ImportWorkbook.module.css";
import { useUploads } from "./reads";

/** Shows nothing while there are none. */
export function PastUploads() {
  const t = useWords();
  const done = (useUploads().data ?? []).filter(({ estado }) => estado === "hecha");
  if (done.length === 0) return null;
  return (
    <TitledCard title={t("import.past")}>
      <p className={styles.hint}>{t("import.past_why")}</p>
      <ul className={styles.past}>
        {done.map(({ id, nombre, subida_en, subida_por, resumen }) => (
          <li key={id} className={styles.pastUpload}>
            <div className={styles.pastWords}>
              <strong>{nombre}</strong>
              <p className={styles.facts}>{t("import.uploaded", { by: subida_por ?? "–", at: timestampText(subida_en) })}</p>
              <p className={styles.facts}>{t("import.done", { ...resumen })}</p>
            </div>
            <FileLink href={reportAddress(id)} aria-label={`${t("import.report")} ${nombre}`}>
              {t("import.report")}
            </FileLink>
          </li>
        ))}
      </ul>
    </TitledCard>
  );
}
