// A procedure: a new one, or one that changes. Its number stays.
import { useState } from "react";

import { saveProcedure, WELD_KEY_CHARS_MAX, WELD_LIST_CHARS_MAX, type Procedure } from "@/api/soldadura";
import { useWords } from "@/i18n";
import { useOfficeRequest } from "@/shop/useOfficeRequest";
import { Field } from "@/ui/Field";
import { useFollowSave } from "./reads";
import { RecordDialog } from "./RecordDialog";
import { ScopeFields } from "./ScopeFields";
import { isKnownProcedure, NEW_PROCEDURE, PROCEDURE_FIELDS } from "./welding";

export interface EditProcedureProps {
  /** Null for a new one. */
  procedure: Procedure | null;
  procedures: readonly Procedure[];
  onClose: () => void;
}

export function EditProcedure({ procedure, procedures, onClose }: EditProcedureProps) {
  const t = useWords();
  const follow = useFollowSave();
  const request = useOfficeRequest();
  const [draft, setDraft] = useState<Procedure>(procedure ?? NEW_PROCEDURE);
  const set = (changes: Partial<Procedure>): void => setDraft({ ...draft, ...changes });
  const isTaken = procedure === null && isKnownProcedure(procedures, draft.wps);
  const save = (): void =>
    request.run(async () => {
      await follow(saveProcedure(draft));
      onClose();
    });
  const text = (field: "wps" | "procesos" | "revision", placeholder: string, maxLength: number, disabled = false) => (
    <Field
      label={t(`welding.fields.${field}`)}
      placeholder={placeholder}
      value={draft[field]}
      maxLength={maxLength}
      disabled={disabled}
      error={request.errors[field]}
      onChange={(event) => set({ [field]: event.target.value })}
    />
  );
  const day = (field: "vigente_desde" | "vigente_hasta") => (
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
      title={procedure === null ? t("welding.add.wps") : t("welding.edit_title", { name: procedure.wps })}
      request={request}
      fields={PROCEDURE_FIELDS}
      ready={draft.wps.trim() !== ""}
      warning={isTaken ? t("welding.taken.wps") : null}
      onSave={save}
      onClose={onClose}
    >
      {text("wps", "WPS-001", WELD_KEY_CHARS_MAX, procedure !== null)}
      {text("procesos", "GTAW, SMAW", WELD_LIST_CHARS_MAX)}
      <ScopeFields scope={draft} errors={request.errors} onChange={set} />
      {text("revision", "", WELD_KEY_CHARS_MAX)}
      {day("vigente_desde")}
      {day("vigente_hasta")}
    </RecordDialog>
  );
}
