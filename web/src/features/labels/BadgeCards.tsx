// Cards with the badge of everybody who has one. They show who wants to sign in; the PIN is not on them.
import { badgesPdf } from "@/api/etiquetas";
import { useWords } from "@/i18n";
import { useOfficeRequest } from "@/shop/useOfficeRequest";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import { TitledCard } from "@/ui/TitledCard";
import { DownloadIcon } from "@/ui/icons";
import styles from "./Labels.module.css";
import { saveFile } from "./saveFile";

export function BadgeCards() {
  const t = useWords();
  const { busy, problem, run, pinPad } = useOfficeRequest();
  const save = (): void => run(async () => saveFile(await badgesPdf(), "credenciales.pdf"));
  return (
    <TitledCard title={t("labels.badges")}>
      <p className={styles.hint}>{t("labels.badges_why")}</p>
      {problem !== null && <Callout tone="bad">{problem}</Callout>}
      <div className={styles.buttons}>
        <Button icon={<DownloadIcon />} disabled={busy} onClick={save}>
          {t("labels.badges_pdf")}
        </Button>
      </div>
      {pinPad}
    </TitledCard>
  );
}
