// `/administracion/respaldo`.
import { useWords } from "@/i18n";
import { SectionPage } from "@/ui/SectionPage";

export function BackupSection() {
  const t = useWords();
  return (
    <SectionPage title={t("administration.respaldo.title")} intro={t("administration.respaldo.intro")}>
      {null}
    </SectionPage>
  );
}
