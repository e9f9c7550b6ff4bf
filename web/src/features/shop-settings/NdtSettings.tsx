// What the shop decided about examinations of welds: which share of them, by which method, and what a rejection leads to.
import { useWords } from "@/i18n";
import { Button } from "@/ui/Button";
import { Field } from "@/ui/Field";
import { Select } from "@/ui/Select";
import { Toggles } from "@/ui/Toggles";
import styles from "./ShopSettings.module.css";
import { NDT_ADDITIONAL_MAX, NDT_RULES_MAX, typesOf, typesText, type NdtFields, type NdtRule } from "./values";

const OT_CHARS_MAX = 100;
const TYPES_CHARS_MAX = 120;
const FLAGS = ["ndt_bloquea", "ndt_en_ciclo"] as const;

export interface NdtSettingsProps {
  ndt: NdtFields;
  onChange: (changes: Partial<NdtFields>) => void;
}

export function NdtSettings({ ndt, onChange }: NdtSettingsProps) {
  const t = useWords();
  const rules = ndt.ndt_reglas;
  const setRule = (at: number, more: Partial<NdtRule>): void =>
    onChange({ ndt_reglas: rules.map((rule, index) => (index === at ? { ...rule, ...more } : rule)) });
  return (
    <div className={styles.shifts}>
      <p className={styles.hint}>{t("shop_settings.ndt_why")}</p>
      {rules.map((rule, at) => (
        <Rule
          key={rule.id ?? `new ${at}`}
          number={at + 1}
          rule={rule}
          methods={ndt.ndt_metodos}
          onChange={(more) => setRule(at, more)}
          onRemove={() => onChange({ ndt_reglas: rules.filter((other) => other !== rule) })}
        />
      ))}
      {rules.length < NDT_RULES_MAX && (
        <Button onClick={() => onChange({ ndt_reglas: [...rules, { metodo: ndt.ndt_metodos[0] ?? "VT", porcentaje: 10, ot: "", tipos: [] }] })}>
          {t("shop_settings.ndt_add")}
        </Button>
      )}
      <Field
        className={styles.hour}
        label={t("shop_settings.names.ndt_adicionales")}
        type="number"
        inputMode="numeric"
        min={0}
        max={NDT_ADDITIONAL_MAX}
        value={Number.isNaN(ndt.ndt_adicionales) ? "" : ndt.ndt_adicionales}
        onChange={(event) => onChange({ ndt_adicionales: event.target.value === "" ? Number.NaN : Number(event.target.value) })}
      />
      <Toggles
        label={t("shop_settings.ndt_rejection")}
        values={FLAGS.filter((name) => ndt[name])}
        options={FLAGS.map((value) => ({ value, label: t(`shop_settings.names.${value}`) }))}
        onChange={(chosen) => onChange({ ndt_bloquea: chosen.includes("ndt_bloquea"), ndt_en_ciclo: chosen.includes("ndt_en_ciclo") })}
      />
    </div>
  );
}

interface RuleProps {
  number: number;
  rule: NdtRule;
  methods: readonly string[];
  onChange: (more: Partial<NdtRule>) => void;
  onRemove: () => void;
}

function Rule({ number, rule, methods, onChange, onRemove }: RuleProps) {
  const t = useWords();
  const options = [...new Set([...methods, rule.metodo])].map((value) => ({ value, label: value }));
  return (
    <fieldset className={styles.limits}>
      <legend>{t("shop_settings.ndt_rule", { n: number })}</legend>
      <Select label={t("shop_settings.ndt_method")} value={rule.metodo} options={options} onChange={(metodo) => onChange({ metodo })} />
      <Field
        className={styles.hour}
        label={t("shop_settings.ndt_percent")}
        type="number"
        inputMode="numeric"
        min={1}
        max={100}
        value={Number.isNaN(rule.porcentaje) ? "" : rule.porcentaje}
        onChange={(event) => onChange({ porcentaje: event.target.value === "" ? Number.NaN : Number(event.target.value) })}
      />
      <Field label={t("shop_settings.ndt_ot")} value={rule.ot ?? ""} maxLength={OT_CHARS_MAX} onChange={(event) => onChange({ ot: event.target.value })} />
      <Field
        label={t("shop_settings.ndt_types")}
        defaultValue={typesText(rule.tipos ?? [])}
        maxLength={TYPES_CHARS_MAX}
        onChange={(event) => onChange({ tipos: typesOf(event.target.value) })}
      />
      <Button onClick={onRemove}>{t("shop_settings.ndt_remove", { n: number })}</Button>
    </fieldset>
  );
}
