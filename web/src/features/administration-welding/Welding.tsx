// The procedures of the shop, and what each person may weld.
import { useWords } from "@/i18n";
import { SectionPage } from "@/ui/SectionPage";
import { Procedures } from "./Procedures";
import { Qualifications } from "./Qualifications";

export function Welding() {
  const t = useWords();
  return (
    <SectionPage title={t("administration.soldadura.title")} intro={t("administration.soldadura.intro")}>
      <Procedures />
      <Qualifications />
    </SectionPage>
  );
}
