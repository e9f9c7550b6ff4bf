// `/administracion/accesos`.
import { useWords } from "@/i18n";
import { SectionPage } from "@/ui/SectionPage";

export function AccessesSection() {
  const t = useWords();
  return (
    <SectionPage title={t("administration.accesos.title")} intro={t("administration.accesos.intro")}>
      {null}
    </SectionPage>
  );
}
