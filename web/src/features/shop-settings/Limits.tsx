// After how many hours a spool is overdue: held and paused by operation, and waiting for inspection. 0 is never.
import { useWords } from "@/i18n";
import type { ShopSettings } from "@/api/ajustes";
import { Field } from "@/ui/Field";
import styles from "./ShopSettings.module.css";
import { LIMIT_HOURS_MAX } from "./values";

type OverdueLimits = ShopSettings["limites_atraso"];

export interface LimitsProps {
  limits: OverdueLimits;
  onChange: (limits: OverdueLimits) => void;
}

const OPERATIONS = ["ARM", "SOLD", "REPARACION"] as const;

export function Limits({ limits, onChange }: LimitsProps) {
  const t = useWords();
  return (
    <>
      <p className={styles.hint}>{t("shop_settings.limits_why")}</p>
      {(["ocupado", "pausado"] as const).map((kind) => (
        <fieldset key={kind} className={styles.limits}>
          <legend>{t(`shop_settings.limit.${kind}`)}</legend>
          {OPERATIONS.map((operacion) => (
            <Hours
              key={operacion}
              label={t(`operation.${operacion}`)}
              hours={limits[kind][operacion]}
              onChange={(hours) => onChange({ ...limits, [kind]: { ...limits[kind], [operacion]: hours } })}
            />
          ))}
        </fieldset>
      ))}
      <fieldset className={styles.limits}>
        <legend>{t("shop_settings.limit.inspeccion")}</legend>
        <Hours
          label={t("operation.METROLOGIA")}
          hours={limits.inspeccion}
          onChange={(inspeccion) => onChange({ ...limits, inspeccion })}
        />
      </fieldset>
    </>
  );
}

/** An empty field is not a number: the form says so. */
function Hours({ label, hours, onChange }: { label: string; hours: number; onChange: (hours: number) => void }) {
  return (
    <Field
      className={styles.hour}
      label={label}
      type="number"
      inputMode="numeric"
      min={0}
      max={LIMIT_HOURS_MAX}
      step={1}
      value={Number.isNaN(hours) ? "" : hours}
      onChange={(event) => onChange(event.target.value === "" ? Number.NaN : Number(event.target.value))}
    />
  );
}
