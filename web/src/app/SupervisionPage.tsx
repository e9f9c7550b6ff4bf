// The supervisor's page; first one of the supervisors says who they are.
import { DossierCard } from "@/features/dossier/DossierCard";
import { Identify } from "@/features/identify/Identify";
import { LabelsCard } from "@/features/labels/LabelsCard";
import { SpoolExams } from "@/features/ndt/SpoolExams";
import { QualificationNotices } from "@/features/qualification-notices/QualificationNotices";
import { ReclamosCard } from "@/features/reclamos/ReclamosCard";
import { Settings } from "@/features/settings/Settings";
import { Supervision } from "@/features/supervision/Supervision";
import { UnsentBar } from "@/features/unsent/UnsentBar";
import { WorkbookCard } from "@/features/workbook/WorkbookCard";
import { setClaim } from "@/features/sign-in/claim";
import { useRecentPeople } from "@/features/sign-in/useRecentPeople";
import { useWords } from "@/i18n";
import { useAccess } from "@/session/access";
import { startSession, useWorker } from "@/session/session";
import { Badge } from "@/ui/Badge";
import { Identity } from "./Identity";
import { ManyWrongPins } from "./ManyWrongPins";
import { useTapNotices } from "./useTapOutcomes";
import { useVolatileStorageNotice } from "./useVolatileStorageNotice";

export function SupervisionPage() {
  useTapNotices();
  useVolatileStorageNotice();
  const open = useAccess().access?.modo === "open";
  return (
    <>
      <Supervision
        identify={open ? <Identify rol="Supervisor" onChosen={startSession} /> : <SupervisorSignIn />}
        settings={<Settings />}
        unsent={<UnsentBar />}
        aboutSpool={(card, supervisor) => <SpoolExams card={card} worker={supervisor} />}
        status={
          <>
            <ManyWrongPins />
            <ReclamosCard />
            <QualificationNotices />
            <WorkbookCard />
            <LabelsCard />
            <DossierCard />
          </>
        }
      />
      <Identity onSignedIn={() => undefined} />
    </>
  );
}

/** Whoever is signed in without the role is told so; a supervisor signs in over them. */
function SupervisorSignIn() {
  const t = useWords();
  const worker = useWorker();
  const recent = useRecentPeople(true);
  return (
    <Identify rol="Supervisor" onChosen={(chosen) => setClaim({ worker: chosen })} recent={recent}>
      {worker && (
        <p>
          <Badge tone="warn">{t("identify.not_supervisor", { label: worker.label })}</Badge>
        </p>
      )}
    </Identify>
  );
}
