// `/administracion/primeros-pasos`: the first start after the administrator exists. It puts the pages' own parts into its steps.
import { useState } from "react";

import { GoogleCard } from "@/features/connect-google/GoogleCard";
import { EnrolOther } from "@/features/enrol/EnrolOther";
import { FirstSteps, type StepControls } from "@/features/first-steps/FirstSteps";
import { ImportWorkbook } from "@/features/import-workbook/ImportWorkbook";
import { ShopSettingsForm } from "@/features/shop-settings/ShopSettingsForm";
import { TEMPLATE_ADDRESS } from "@/api/planilla";
import { useWords } from "@/i18n";
import { Button } from "@/ui/Button";
import { ButtonLink } from "@/ui/ButtonLink";
import { Callout } from "@/ui/Callout";
import { Choice } from "@/ui/Choice";
import { FileLink } from "@/ui/FileLink";
import { SectionPage } from "@/ui/SectionPage";
import { TitledCard } from "@/ui/TitledCard";
import styles from "./FirstStepsSection.module.css";

export function FirstStepsSection() {
  const t = useWords();
  return (
    <SectionPage title={t("first_steps.title")} intro={t("first_steps.intro")}>
      <FirstSteps
        shop={({ done, later }) => (
          <ShopSettingsForm save={t("first_steps.save_go_on")} alwaysReady onSaved={done}>
            {later}
          </ShopSettingsForm>
        )}
        spools={(controls) => <SpoolsStep {...controls} />}
        tablet={(controls) => <TabletStep {...controls} />}
        end={
          <nav className={styles.buttons} aria-label={t("first_steps.title")}>
            <ButtonLink to="/administracion/personas" size="large">
              {t("first_steps.people")}
            </ButtonLink>
            <ButtonLink to="/" size="large">
              {t("first_steps.floor")}
            </ButtonLink>
          </nav>
        }
      />
    </SectionPage>
  );
}

const WAYS = ["excel", "google", "template"] as const;

function SpoolsStep({ done, changed, busy, later }: StepControls) {
  const t = useWords();
  const [way, setWay] = useState<(typeof WAYS)[number]>("excel");
  return (
    <>
      <Choice
        label={t("first_steps.way")}
        value={way}
        options={WAYS.map((value) => ({ value, label: t(`first_steps.ways.${value}`) }))}
        onChange={setWay}
      />
      {way === "excel" && <ImportWorkbook onImported={changed} />}
      {way === "google" && <GoogleCard onConnected={changed} />}
      {way === "template" && (
        <TitledCard title={t("first_steps.template_title")}>
          <p>{t("first_steps.template_why")}</p>
          <div className={styles.buttons}>
            <FileLink href={TEMPLATE_ADDRESS}>{t("import.template")}</FileLink>
          </div>
        </TitledCard>
      )}
      <div className={styles.buttons}>
        {later}
        <Button tone="signal" size="large" disabled={busy} onClick={done}>
          {t("first_steps.go_on")}
        </Button>
      </div>
    </>
  );
}

function TabletStep({ done, changed, busy, later }: StepControls) {
  const t = useWords();
  return (
    <>
      <TitledCard title={t("first_steps.step.tablet")}>
        {location.protocol === "https:" && <Callout tone="plain">{t("first_steps.trust")}</Callout>}
        <EnrolOther onEnrolled={changed} />
      </TitledCard>
      <div className={styles.buttons}>
        {later}
        <Button tone="signal" size="large" disabled={busy} onClick={done}>
          {t("first_steps.finish")}
        </Button>
      </div>
    </>
  );
}
