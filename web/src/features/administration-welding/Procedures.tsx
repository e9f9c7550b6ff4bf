// The welding procedures (WPS): add, change, retire.
import { useState } from "react";

import { saveProcedure, type Procedure } from "@/api/soldadura";
import { useWords } from "@/i18n";
import { dayOf, dayText, useShopMinute } from "@/shop/clock";
import { Badge } from "@/ui/Badge";
import { EditProcedure } from "./EditProcedure";
import { useProcedures } from "./reads";
import { RecordList } from "./RecordList";
import { findProcedures, procedureState, type ProcedureState } from "./welding";
import { WeldingRecord } from "./WeldingRecord";

const TONES = { valid: "good", future: "warn", ended: "bad", retired: "plain" } as const satisfies Record<ProcedureState, string>;

export function Procedures() {
  const read = useProcedures();
  const [edited, setEdited] = useState<Procedure | "new" | null>(null);
  return (
    <RecordList
      name="wps"
      read={read}
      find={findProcedures}
      row={(procedure) => <ProcedureRow key={procedure.wps} procedure={procedure} onEdit={() => setEdited(procedure)} />}
      onAdd={() => setEdited("new")}
    >
      {edited && <EditProcedure procedure={edited === "new" ? null : edited} procedures={read.data ?? []} onClose={() => setEdited(null)} />}
    </RecordList>
  );
}

function ProcedureRow({ procedure, onEdit }: { procedure: Procedure; onEdit: () => void }) {
  const t = useWords();
  const { wps, procesos, revision, vigente_desde, vigente_hasta, activo } = procedure;
  const state = procedureState(procedure, dayOf(useShopMinute()));
  const badges = (
    <>
      <Badge tone={TONES[state]}>{t(`welding.wps_states.${state}`)}</Badge>
      {revision !== "" && <Badge>{t("welding.revision", { revision })}</Badge>}
    </>
  );
  const facts = (
    <>
      <span>{procesos}</span>
      {vigente_desde !== "" && <span>{t("welding.from", { day: dayText(vigente_desde) })}</span>}
      {vigente_hasta !== "" && <span>{t("welding.to", { day: dayText(vigente_hasta) })}</span>}
    </>
  );
  return (
    <WeldingRecord
      name={wps}
      title={wps}
      badges={badges}
      facts={facts}
      scope={procedure}
      active={activo}
      onEdit={onEdit}
      onSwitch={(active) => saveProcedure({ ...procedure, activo: active })}
    />
  );
}
