// `/administracion/primeros-pasos`.
import { useWords } from "@/i18n";
import { SectionPage } from "@/ui/SectionPage";

export function FirstStepsSection() {
  const t = useWords();
  return <SectionPage title={t("administration.title")}>{null}</SectionPage>;
}
