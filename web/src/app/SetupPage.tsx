// `/configurar`: the first of the four steps: the administrator. The others follow on the administrator's page.
import { Setup } from "@/features/enrol/Setup";
import { StepList } from "@/features/first-steps/StepList";
import { useWords } from "@/i18n";
import { addOfficeSentences } from "@/i18n/office";
import { useIdleExit } from "@/session/watch";
import { ButtonLink } from "@/ui/ButtonLink";
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
        <ButtonLink to="/" size="large">
          {t("first_steps.later")}
        </ButtonLink>
        <ButtonLink to="/administracion/primeros-pasos" tone="signal" size="large">
          {t("first_steps.shop_next")}
        </ButtonLink>
      </nav>
    </Setup>
  );
}
