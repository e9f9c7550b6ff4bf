// What a procedure or a qualification is for: materials, fillers, thickness, diameter, positions. Blank limits nothing.
import { WELD_LIST_CHARS_MAX } from "@/api/soldadura";
import { useWords } from "@/i18n";
import type { FieldErrors } from "@/shop/fieldErrors";
import { Field } from "@/ui/Field";
import { SCOPE_FIELDS, type Scope, type ScopeField } from "./welding";

/** `P_Numeros` and the positions are lists; the rest are numbers. */
const EXAMPLES: Partial<Record<ScopeField, string>> = { p_numeros: "1, 8", f_numero: "6, 4", posiciones: "5G, 6G" };

export interface ScopeFieldsProps {
  scope: Scope;
  errors: FieldErrors;
  onChange: (changes: Partial<Scope>) => void;
}

export function ScopeFields({ scope, errors, onChange }: ScopeFieldsProps) {
  const t = useWords();
  return SCOPE_FIELDS.map((field) => (
    <Field
      key={field}
      label={t(`welding.fields.${field}`)}
      placeholder={EXAMPLES[field]}
      inputMode={field in EXAMPLES ? "text" : "decimal"}
      value={scope[field]}
      maxLength={WELD_LIST_CHARS_MAX}
      error={errors[field]}
      onChange={(event) => onChange({ [field]: event.target.value })}
    />
  ));
}
