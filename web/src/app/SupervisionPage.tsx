// The supervisor's page; first one of the supervisors chooses their name.
import { Identify } from "@/features/identify/Identify";
import { Settings } from "@/features/settings/Settings";
import { Supervision } from "@/features/supervision/Supervision";
import { UnsentBar } from "@/features/unsent/UnsentBar";
import { WorkbookCard } from "@/features/workbook/WorkbookCard";
import { startSession } from "@/session/session";
import { useTapNotices } from "./useTapOutcomes";
import { useVolatileStorageNotice } from "./useVolatileStorageNotice";

export function SupervisionPage() {
  useTapNotices();
  useVolatileStorageNotice();
  return (
    <Supervision
      identify={<Identify rol="Supervisor" onChosen={startSession} />}
      settings={<Settings />}
      unsent={<UnsentBar />}
      status={<WorkbookCard />}
    />
  );
}
