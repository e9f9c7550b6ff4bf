// What a device sees that the shop does not know: in plain words, what to do.
import { useWords } from "@/i18n";
import { ButtonLink } from "@/ui/ButtonLink";
import styles from "./Enrol.module.css";
import { EnrolSteps } from "./EnrolSteps";

/** `administrator`: one exists; else the shop is being set up. */
export function NotEnrolled({ administrator }: { administrator: boolean }) {
  const t = useWords();
  return (
    <main className={styles.page}>
      <h1 className={styles.title}>{t(administrator ? "enrol.not_enrolled" : "setup.needed")}</h1>
      {administrator ? (
        <EnrolSteps />
      ) : (
        <ol className={styles.steps}>
          <li>{t("setup.step_code")}</li>
          <li>{t("setup.step_open")}</li>
        </ol>
      )}
      <p className={styles.buttons}>
        <ButtonLink to={administrator ? "/inscribir" : "/configurar"} tone="signal" size="large">
          {t(administrator ? "enrol.have_code" : "setup.have_code")}
        </ButtonLink>
      </p>
    </main>
  );
}
