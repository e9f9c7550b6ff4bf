// `/administracion/planilla`: the workbook goes in and out as Excel, or is connected with Google.
import { GoogleCard } from "@/features/connect-google/GoogleCard";
import { ExportCard } from "@/features/import-workbook/ExportCard";
import { ImportWorkbook } from "@/features/import-workbook/ImportWorkbook";
import { PastUploads } from "@/features/import-workbook/PastUploads";
import { WorkbookCard } from "@/features/workbook/WorkbookCard";
import { useWords } from "@/i18n";
import { SectionPage } from "@/ui/SectionPage";

export function WorkbookSection() {
  const t = useWords();
  return (
    <SectionPage title={t("administration.planilla.title")} intro={t("administration.planilla.intro")}>
      <ImportWorkbook />
      <PastUploads />
      <ExportCard />
      <GoogleCard />
      <WorkbookCard />
    </SectionPage>
  );
}
