// `/administracion/personas`.
import { useWords } from "@/i18n";
import { SectionPage } from "@/ui/SectionPage";

export function PeopleSection() {
  const t = useWords();
  return (
    <SectionPage title={t("administration.personas.title")} intro={t("administration.personas.intro")}>
      {null}
    </SectionPage>
  );
}
