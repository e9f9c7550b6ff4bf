// How old the last backup is: the one fact that tells whether the shop could go on tomorrow. And a button to make one now.
import { useQueryClient } from "@tanstack/react-query";

import { makeBackup, type BackupsAnswer } from "@/api/respaldos";
import { useWords } from "@/i18n";
import { timestampText } from "@/shop/clock";
import { useAgo } from "@/shop/useAgo";
import { useOfficeRequest } from "@/shop/useOfficeRequest";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import { Fact, FactList } from "@/ui/FactList";
import { notify } from "@/ui/notices";
import { ProgressBar } from "@/ui/ProgressBar";
import { TitledCard } from "@/ui/TitledCard";
import styles from "./Backups.module.css";
import { BACKUPS } from "./reads";

export function BackupState({ backups }: { backups: BackupsAnswer }) {
  const t = useWords();
  const ago = useAgo();
  const { ultimo_en, vencido, error, en_curso, proximo_en, carpeta } = backups;
  const state = vencido ? "overdue" : "fresh";
  return (
    <TitledCard
      title={t("backups.last")}
      accent={vencido ? "bad" : "good"}
      badge={<Badge tone={vencido ? "bad" : "good"}>{t(`backups.state.${state}`)}</Badge>}
    >
      <p className={styles.age}>{ago(ultimo_en) ?? t("backups.none_yet")}</p>
      {vencido && <Callout tone="bad">{t("backups.overdue_why")}</Callout>}
      {error && (
        <Callout tone={vencido ? "bad" : "warn"}>
          <p>
            <strong>{t("backups.failed", { at: timestampText(error.en) })}</strong>
          </p>
          <p>{error.texto}</p>
        </Callout>
      )}
      <FactList>
        <Fact name={t("backups.next")}>{timestampText(proximo_en)}</Fact>
        <Fact name={t("backups.folder")}>{carpeta}</Fact>
      </FactList>
      <p className={styles.hint}>{t("backups.folder_why")}</p>
      <BackUpNow running={en_curso} />
    </TitledCard>
  );
}

function BackUpNow({ running }: { running: boolean }) {
  const t = useWords();
  const cache = useQueryClient();
  const { busy, problem, run, pinPad } = useOfficeRequest();
  const make = (): void =>
    run(async () => {
      try {
        const now = await makeBackup();
        if (!now.en_curso) notify("good", t("backups.made"));
      } finally {
        await cache.invalidateQueries({ queryKey: BACKUPS });
      }
    });
  return (
    <>
      {problem !== null && <Callout tone="bad">{problem}</Callout>}
      {busy || running ? (
        <ProgressBar label={t("backups.making")} done={0} total={0} />
      ) : (
        <div className={styles.buttons}>
          <Button tone="signal" onClick={make}>
            {t("backups.make")}
          </Button>
        </div>
      )}
      {pinPad}
    </>
  );
}
