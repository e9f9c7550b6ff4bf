// The qualifications of the welders: add, change, retire; and until when each covers.
import { useState } from "react";

import { saveQualification, type Qualification } from "@/api/soldadura";
import { useWords } from "@/i18n";
import { dayOf, dayText, useShopMinute } from "@/shop/clock";
import { usePeople } from "@/shop/usePeople";
import { Badge } from "@/ui/Badge";
import { EditQualification } from "./EditQualification";
import { useQualifications } from "./reads";
import { RecordList } from "./RecordList";
import { draftOf, findQualifications, keyOfQualification, qualificationState, type QualificationState } from "./welding";
import { WeldingRecord } from "./WeldingRecord";

const TONES = { valid: "good", soon: "warn", ended: "bad", retired: "plain" } as const satisfies Record<QualificationState, string>;

export function Qualifications() {
  const read = useQualifications();
  const people = usePeople().data ?? [];
  const [edited, setEdited] = useState<Qualification | "new" | null>(null);
  const names = new Map(people.map(({ id, nombre, apellido }) => [id, `${nombre} ${apellido}`]));
  const nameOf = ({ worker_id }: Qualification): string => names.get(worker_id) ?? "";
  const close = (): void => setEdited(null);
  return (
    <RecordList
      name="calificaciones"
      read={read}
      find={(all, which, typed) => findQualifications(all, which, typed, nameOf)}
      row={(one) => <QualificationRow key={keyOfQualification(one)} one={one} name={nameOf(one)} onEdit={() => setEdited(one)} />}
      onAdd={() => setEdited("new")}
    >
      {edited && (
        <EditQualification qualification={edited === "new" ? null : edited} qualifications={read.data ?? []} people={people} onClose={close} />
      )}
    </RecordList>
  );
}

function QualificationRow({ one, name, onEdit }: { one: Qualification; name: string; onEdit: () => void }) {
  const t = useWords();
  const { worker, proceso, documento, fecha, vence, ultimo_uso, vigente_hasta, activo } = one;
  const state = qualificationState(one, dayOf(useShopMinute()));
  const badges = (
    <>
      <Badge>{proceso}</Badge>
      <Badge tone={TONES[state]}>{t(`welding.states.${state}`, { day: dayText(vigente_hasta) })}</Badge>
    </>
  );
  const facts = (
    <>
      <span>{documento}</span>
      <span>{t("welding.made", { day: dayText(fecha) })}</span>
      {vence !== "" && <span>{t("welding.expires", { day: dayText(vence) })}</span>}
      {ultimo_uso !== "" && <span>{t("welding.used", { day: dayText(ultimo_uso) })}</span>}
    </>
  );
  return (
    <WeldingRecord
      name={`${worker} ${proceso} ${documento}`}
      title={name === "" ? worker : `${name} · ${worker}`}
      badges={badges}
      facts={facts}
      scope={one}
      active={activo}
      onEdit={onEdit}
      onSwitch={(active) => saveQualification({ ...draftOf(one), activo: active })}
    />
  );
}
