// `/administracion/planilla`: the workbook goes in and out as Excel, or is connected with Google.
import { useQueryClient } from "@tanstack/react-query";

import { GoogleCard } from "@/features/connect-google/GoogleCard";
import { ExportCard } from "@/features/import-workbook/ExportCard";
import { ImportWorkbook } from "@/features/import-workbook/ImportWorkbook";
import { PastUploads } from "@/features/import-workbook/PastUploads";
import { SYNC } from "@/features/workbook/reads";
import { WorkbookCard } from "@/features/workbook/WorkbookCard";
import { useWords } from "@/i18n";
import { SectionPage } from "@/ui/SectionPage";

export function WorkbookSection() {
  const t = useWords();
  const cache = useQueryClient();
  return (
    <SectionPage title={t("administration.planilla.title")} intro={t("administration.planilla.intro")}>
      <ImportWorkbook />
      <PastUploads />
      <ExportCard />
      <GoogleCard onConnected={() => void cache.invalidateQueries({ queryKey: SYNC })} />
      <WorkbookCard />
    </SectionPage>
  );
}
