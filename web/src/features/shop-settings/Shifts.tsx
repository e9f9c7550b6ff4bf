// The shop's shifts: name, days and hours of each.
import type { Shift } from "@/api/ajustes";
import { useWords } from "@/i18n";
import { Button } from "@/ui/Button";
import { Field } from "@/ui/Field";
import { CrossIcon, PlusIcon } from "@/ui/icons";
import { Toggles } from "@/ui/Toggles";
import styles from "./ShopSettings.module.css";
import { DAYS, isOvernight, nextShift, SHIFTS_MAX } from "./values";

export interface ShiftsProps {
  shifts: readonly Shift[];
  disabled: boolean;
  onChange: (shifts: Shift[]) => void;
}

export function Shifts({ shifts, disabled, onChange }: ShiftsProps) {
  const t = useWords();
  const add = (): void => onChange([...shifts, nextShift(shifts, t("shop_settings.shift", { n: shifts.length + 1 }))]);
  return (
    <>
      <p className={styles.hint}>{t("shop_settings.shifts_why")}</p>
      {shifts.length > 0 && (
        <ul className={styles.shifts}>
          {shifts.map((shift, at) => (
            <li key={at}>
              <ShiftFields
                shift={shift}
                number={at + 1}
                disabled={disabled}
                onChange={(changed) => onChange(shifts.with(at, changed))}
                onRemove={() => onChange(shifts.toSpliced(at, 1))}
              />
            </li>
          ))}
        </ul>
      )}
      <div>
        <Button icon={<PlusIcon />} disabled={disabled || shifts.length >= SHIFTS_MAX} onClick={add}>
          {t("shop_settings.add_shift")}
        </Button>
      </div>
    </>
  );
}

interface ShiftFieldsProps {
  shift: Shift;
  number: number;
  disabled: boolean;
  onChange: (shift: Shift) => void;
  onRemove: () => void;
}

function ShiftFields({ shift, number, disabled, onChange, onRemove }: ShiftFieldsProps) {
  const t = useWords();
  return (
    <fieldset className={styles.shift} disabled={disabled}>
      <legend className="visually-hidden">{t("shop_settings.shift", { n: number })}</legend>
      <Field
        label={t("shop_settings.shift_name")}
        value={shift.nombre}
        maxLength={40}
        onChange={(event) => onChange({ ...shift, nombre: event.target.value })}
      />
      {(["desde", "hasta"] as const).map((end) => (
        <Field
          key={end}
          className={styles.hour}
          label={t(`shop_settings.hours.${end}`)}
          type="time"
          value={shift[end]}
          onChange={(event) => onChange({ ...shift, [end]: event.target.value.slice(0, 5) })}
        />
      ))}
      <Button
        className={styles.remove}
        icon={<CrossIcon size={22} />}
        aria-label={t("shop_settings.remove_shift", { name: shift.nombre })}
        onClick={onRemove}
      />
      <div className={styles.days}>
        <Toggles
          label={t("shop_settings.days")}
          values={DAYS.filter((_, at) => shift.dias.includes(at + 1))}
          options={DAYS.map((day) => ({ value: day, label: t(`shop_settings.day.${day}`) }))}
          onChange={(days) => onChange({ ...shift, dias: days.map((day) => DAYS.indexOf(day) + 1).sort((a, b) => a - b) })}
        />
      </div>
      {isOvernight(shift) && <p className={styles.hint}>{t("shop_settings.overnight")}</p>}
    </fieldset>
  );
}
