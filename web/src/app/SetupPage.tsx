// `/configurar`: the first of the four steps: the administrator. The others follow on the administrator's page.
import { Link } from "@tanstack/react-router";

import { Setup } from "@/features/enrol/Setup";
import { StepList } from "@/features/first-steps/StepList";
import { useWords } from "@/i18n";
import { addOfficeSentences } from "@/i18n/office";
import { useIdleExit } from "@/session/watch";
import { classes } from "@/ui/classes";
import styles from "./FirstStepsSection.module.css";
import { Identity } from "./Identity";

addOfficeSentences();

export function SetupPage() {
  const t = useWords();
  useIdleExit();
  return (
    <Setup steps={(made) => <StepList shown={made ? "taller" : "administrador"} isDone={(step) => made && step === "administrador"} />}>
      <Identity onSignedIn={() => undefined} />
      <nav className={styles.buttons} aria-label={t("first_steps.title")}>
        <Link to="/" className={styles.link}>
          {t("first_steps.later")}
        </Link>
        <Link to="/administracion/primeros-pasos" className={classes(styles.link, styles.onward)}>
          {t("first_steps.shop_next")}
        </Link>
      </nav>
    </Setup>
  );
}
