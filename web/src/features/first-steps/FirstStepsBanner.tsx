// On the administrator's first page, while the first start is unfinished: how far it is, and the way back to it.
import { useWords } from "@/i18n";
import { ButtonLink } from "@/ui/ButtonLink";
import { Card } from "@/ui/Card";
import styles from "./FirstSteps.module.css";
import { useFirstSteps } from "./reads";
import { doneCount, firstOpen, STEPS } from "./steps";

/** Shows nothing when all steps are done, and until they are read. */
export function FirstStepsBanner() {
  const t = useWords();
  const { data } = useFirstSteps();
  const next = data && !data.terminado ? firstOpen(data) : null;
  if (!data || next === null) return null;
  return (
    <Card accent="signal" className={styles.banner}>
      <div className={styles.bannerWords}>
        <strong className={styles.bannerTitle}>{t("first_steps.unfinished", { done: doneCount(data), total: STEPS.length })}</strong>
        <p>{t("first_steps.next", { step: t(`first_steps.step.${next}`) })}</p>
      </div>
      <ButtonLink to="/administracion/primeros-pasos" tone="signal">
        {t("first_steps.take_up")}
      </ButtonLink>
    </Card>
  );
}
