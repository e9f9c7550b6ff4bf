// A qualification: a new one, or one that changes. Person, process and document stay.
import { useState } from "react";

import type { Person } from "@/api/personas";
import { saveQualification, WELD_KEY_CHARS_MAX, type Qualification } from "@/api/soldadura";
import { useWords } from "@/i18n";
import { useOfficeRequest } from "@/shop/useOfficeRequest";
import { Field } from "@/ui/Field";
import { Select } from "@/ui/Select";
import { useFollowSave } from "./reads";
import { RecordDialog } from "./RecordDialog";
import { ScopeFields } from "./ScopeFields";
import { draftOf, isKnownQualification, NEW_QUALIFICATION, QUALIFICATION_FIELDS, weldersFirst, type QualificationDraft } from "./welding";

export interface EditQualificationProps {
  /** Null for a new one. */
  qualification: Qualification | null;
  qualifications: readonly Qualification[];
  people: readonly Person[];
  onClose: () => void;
}

export function EditQualification({ qualification, qualifications, people, onClose }: EditQualificationProps) {
  const t = useWords();
  const follow = useFollowSave();
  const request = useOfficeRequest();
  const [draft, setDraft] = useState<QualificationDraft>(qualification ? draftOf(qualification) : NEW_QUALIFICATION);
  const set = (changes: Partial<QualificationDraft>): void => setDraft({ ...draft, ...changes });
  const isTaken = qualification === null && isKnownQualification(qualifications, draft);
  const save = (): void =>
    request.run(async () => {
      await follow(saveQualification(draft));
      onClose();
    });
  const text = (field: "proceso" | "documento", placeholder: string) => (
    <Field
      label={t(`welding.fields.${field}`)}
      placeholder={placeholder}
      value={draft[field]}
      maxLength={WELD_KEY_CHARS_MAX}
      disabled={qualification !== null}
      error={request.errors[field]}
      onChange={(event) => set({ [field]: event.target.value })}
    />
  );
  const day = (field: "fecha" | "vence" | "ultimo_uso") => (
    <Field
      label={t(`welding.fields.${field}`)}
      type="date"
      value={draft[field]}
      error={request.errors[field]}
      onChange={(event) => set({ [field]: event.target.value })}
    />
  );
  return (
    <RecordDialog
      title={qualification === null ? t("welding.add.calificaciones") : t("welding.edit_title", { name: titleOf(qualification) })}
      request={request}
      fields={QUALIFICATION_FIELDS}
      ready={draft.worker_id > 0 && draft.proceso.trim() !== "" && draft.documento.trim() !== ""}
      warning={isTaken ? t("welding.taken.calificaciones") : null}
      onSave={save}
      onClose={onClose}
    >
      {qualification === null ? (
        <WhoseQualification id={draft.worker_id} people={people} onChange={(worker_id) => set({ worker_id })} />
      ) : (
        <Field label={t("welding.fields.worker_id")} value={qualification.worker} disabled />
      )}
      {text("proceso", "GTAW")}
      {text("documento", "WPQ-7")}
      {day("fecha")}
      {day("vence")}
      {day("ultimo_uso")}
      <ScopeFields scope={draft} errors={request.errors} onChange={set} />
    </RecordDialog>
  );
}

const titleOf = ({ worker, proceso, documento }: Qualification): string => `${documento} · ${proceso} · ${worker}`;

function WhoseQualification({ id, people, onChange }: { id: number; people: readonly Person[]; onChange: (id: number) => void }) {
  const t = useWords();
  const options = weldersFirst(people).map((person) => ({
    value: String(person.id),
    label: `${person.nombre} ${person.apellido} · ${person.label}`,
  }));
  return (
    <Select
      label={t("welding.fields.worker_id")}
      value={String(id)}
      options={[{ value: "0", label: t("welding.choose") }, ...options]}
      onChange={(value) => onChange(Number(value))}
    />
  );
}
