// `/administracion/integraciones`.
import { useWords } from "@/i18n";
import { SectionPage } from "@/ui/SectionPage";

export function IntegrationsSection() {
  const t = useWords();
  return (
    <SectionPage title={t("administration.integraciones.title")} intro={t("administration.integraciones.intro")}>
      {null}
    </SectionPage>
  );
}
