// Badges for those who have none, and cards with everybody's. A badge shows who wants to sign in; the PIN is not on the card.
import { useState } from "react";

import { badgesPdf, giveBadges } from "@/api/etiquetas";
import { useWords } from "@/i18n";
import { useOfficeRequest } from "@/shop/useOfficeRequest";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import { TitledCard } from "@/ui/TitledCard";
import { DownloadIcon } from "@/ui/icons";
import styles from "./Labels.module.css";
import { saveFile } from "@/ui/saveFile";

export function BadgeCards() {
  const t = useWords();
  const { busy, problem, run, pinPad } = useOfficeRequest();
  const [given, setGiven] = useState<number | null>(null);
  const give = (): void => run(async () => setGiven(await giveBadges()));
  const save = (): void => run(async () => saveFile(await badgesPdf(), "credenciales.pdf"));
  return (
    <TitledCard title={t("labels.badges")}>
      <p className={styles.hint}>{t("labels.badges_why")}</p>
      {problem !== null && <Callout tone="bad">{problem}</Callout>}
      {given !== null && <Callout tone="good">{given === 0 ? t("labels.badges_all") : t("labels.badges_given", { count: given })}</Callout>}
      <div className={styles.buttons}>
        <Button disabled={busy} onClick={give}>
          {t("labels.badges_give")}
        </Button>
        <Button icon={<DownloadIcon />} disabled={busy} onClick={save}>
          {t("labels.badges_pdf")}
        </Button>
      </div>
      {pinPad}
    </TitledCard>
  );
}
