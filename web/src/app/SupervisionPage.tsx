// The supervisor's page: who supervises is chosen among those who may.
import { Identify } from "@/features/identify/Identify";
import { Settings } from "@/features/settings/Settings";
import { Supervision } from "@/features/supervision/Supervision";
import { UnsentBar } from "@/features/unsent/UnsentBar";
import { WorkbookCard } from "@/features/workbook/WorkbookCard";
import { enter } from "@/session/session";
import { useForgetfulNotice } from "./useForgetfulNotice";
import { useTapNotices } from "./useOutcomes";

export function SupervisionPage() {
  useTapNotices();
  useForgetfulNotice();
  return (
    <Supervision
      identify={<Identify rol="Supervisor" onChosen={enter} />}
      settings={<Settings />}
      unsent={<UnsentBar />}
      status={<WorkbookCard />}
    />
  );
}
