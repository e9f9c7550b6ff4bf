// How a device is enrolled, in three sentences.
import { useWords } from "@/i18n";
import styles from "./Enrol.module.css";

export function EnrolSteps() {
  const t = useWords();
  return (
    <ol className={styles.steps}>
      <li>{t("enrol.step_ask")}</li>
      <li>{t("enrol.step_scan")}</li>
      <li>{t("enrol.step_number")}</li>
    </ol>
  );
}
