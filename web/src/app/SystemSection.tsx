// `/administracion/sistema`.
import { SystemStatus } from "@/features/system-status/SystemStatus";
import { useWords } from "@/i18n";
import { SectionPage } from "@/ui/SectionPage";

export function SystemSection() {
  const t = useWords();
  return (
    <SectionPage title={t("administration.sistema.title")} intro={t("administration.sistema.intro")}>
      <SystemStatus />
    </SectionPage>
  );
}
