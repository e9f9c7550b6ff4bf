// `/administracion/respaldo`.
import { Backups } from "@/features/backups/Backups";
import { useWords } from "@/i18n";
import { SectionPage } from "@/ui/SectionPage";

export function BackupSection() {
  const t = useWords();
  return (
    <SectionPage title={t("administration.respaldo.title")} intro={t("administration.respaldo.intro")}>
      <Backups />
    </SectionPage>
  );
}
