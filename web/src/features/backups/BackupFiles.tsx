// The backups that exist, newest first, each to download.
import { useState } from "react";

import { backupAddress, type Backup, type BackupsAnswer } from "@/api/respaldos";
import { useWords } from "@/i18n";
import { bytesText } from "@/shop/bytes";
import { timestampText } from "@/shop/clock";
import { decimal } from "@/shop/decimal";
import { Button } from "@/ui/Button";
import { EmptyState } from "@/ui/EmptyState";
import { FileLink } from "@/ui/FileLink";
import { TitledCard } from "@/ui/TitledCard";
import styles from "./Backups.module.css";

/** Fourteen days are looked at; twelve months are there if they are needed. */
const SHOWN = 14;

export function BackupFiles({ backups: { respaldos } }: { backups: BackupsAnswer }) {
  const t = useWords();
  const [all, setAll] = useState(false);
  const shown = all ? respaldos : respaldos.slice(0, SHOWN);
  return (
    <TitledCard title={t("backups.files")}>
      <p className={styles.hint}>{t("backups.kept")}</p>
      {respaldos.length === 0 ? (
        <EmptyState text={t("backups.none_yet")} />
      ) : (
        <ul className={styles.files}>
          {shown.map((backup) => (
            <BackupFile key={backup.archivo} backup={backup} />
          ))}
        </ul>
      )}
      {shown.length < respaldos.length && (
        <Button onClick={() => setAll(true)}>{t("backups.older", { count: respaldos.length - shown.length })}</Button>
      )}
      <p className={styles.hint}>{t("backups.restore_how")}</p>
    </TitledCard>
  );
}

function BackupFile({ backup: { archivo, bytes, hecho_en, eventos } }: { backup: Backup }) {
  const t = useWords();
  return (
    <li className={styles.file}>
      <div className={styles.fileWords}>
        <strong className={styles.when}>{timestampText(hecho_en)}</strong>
        <p className={styles.facts}>
          {bytesText(bytes)}
          {eventos !== null && ` · ${t("backups.events", { count: eventos, n: decimal(eventos) })}`}
        </p>
        <p className={styles.name}>{archivo}</p>
      </div>
      <FileLink href={backupAddress(archivo)} aria-label={`${t("backups.download")} ${archivo}`}>
        {t("backups.download")}
      </FileLink>
    </li>
  );
}
