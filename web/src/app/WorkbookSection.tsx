// `/administracion/planilla`.
import { useWords } from "@/i18n";
import { SectionPage } from "@/ui/SectionPage";

export function WorkbookSection() {
  const t = useWords();
  return (
    <SectionPage title={t("administration.planilla.title")} intro={t("administration.planilla.intro")}>
      {null}
    </SectionPage>
  );
}
