// The shop's backups: how old the last one is, the files, and the keys apart.
import { useWords } from "@/i18n";
import { useReadErrorText } from "@/live/hooks";
import { EmptyState } from "@/ui/EmptyState";
import { Loading } from "@/ui/Loading";
import { BackupFiles } from "./BackupFiles";
import { BackupState } from "./BackupState";
import { KeysCard } from "./KeysCard";
import { useBackups } from "./reads";

export function Backups() {
  const t = useWords();
  const readError = useReadErrorText();
  const { data, isError } = useBackups();
  if (!data) return isError ? <EmptyState text={readError} /> : <Loading label={t("app.loading")} />;
  return (
    <>
      <BackupState backups={data} />
      <KeysCard keys={data.claves} />
      <BackupFiles backups={data} />
    </>
  );
}
