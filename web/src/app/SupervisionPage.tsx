// The supervisor's page. Only for people with the role Supervisor.
import { DossierCard } from "@/features/dossier/DossierCard";
import { LabelsCard } from "@/features/labels/LabelsCard";
import { SpoolExams } from "@/features/ndt/SpoolExams";
import { QualificationNotices } from "@/features/qualification-notices/QualificationNotices";
import { ReclamosCard } from "@/features/reclamos/ReclamosCard";
import { Supervision } from "@/features/supervision/Supervision";
import { WorkbookCard } from "@/features/workbook/WorkbookCard";
import { useWords } from "@/i18n";
import { ManyWrongPins } from "./ManyWrongPins";
import { OfficePage } from "./OfficePage";

export function SupervisionPage() {
  const t = useWords();
  const status = (
    <>
      <ManyWrongPins />
      <ReclamosCard />
      <QualificationNotices />
      <WorkbookCard />
      <LabelsCard />
      <DossierCard />
    </>
  );
  return (
    <OfficePage
      title={t("supervision.title")}
      home="/"
      roles={["Supervisor"]}
      notAllowed={(label) => t("identify.not_supervisor", { label })}
    >
      {(supervisor) => (
        <Supervision
          supervisor={supervisor}
          status={status}
          aboutSpool={(card, worker) => <SpoolExams card={card} worker={worker} />}
        />
      )}
    </OfficePage>
  );
}
