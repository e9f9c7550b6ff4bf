// The form of the shop's settings: its name, its time zone, its shifts, the types of joints that are only fitted up, when a spool is overdue,
// what an unqualified welder may do, and which welds are examined.
import { useQueryClient } from "@tanstack/react-query";
import { useId, useState, type ReactNode } from "react";

import { changeSettings, type SettingName, type SettingsAnswer } from "@/api/ajustes";
import { useWords } from "@/i18n";
import { useReadErrorText } from "@/live/hooks";
import { useShopMinute } from "@/shop/clock";
import { useOfficeRequest } from "@/shop/useOfficeRequest";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import { EmptyState } from "@/ui/EmptyState";
import { Field } from "@/ui/Field";
import { Loading } from "@/ui/Loading";
import { TitledCard } from "@/ui/TitledCard";
import { Toggles } from "@/ui/Toggles";
import { Limits } from "./Limits";
import { NdtSettings } from "./NdtSettings";
import { SETTINGS, useShopSettings } from "./reads";
import { Shifts } from "./Shifts";
import styles from "./ShopSettings.module.css";
import { WelderCheck } from "./WelderCheck";
import { changesOf, fieldsOf, isTimeZone, NAME_CHARS_MAX, timeIn, typesOf, typesText, wrongIn, type ShopFields } from "./values";

export interface ShopSettingsFormProps {
  /** The words of the button. */
  save: string;
  /** The button also works when nothing is changed: it leads on. */
  alwaysReady?: boolean;
  onSaved: () => void;
  /** Another button beside it. */
  children?: ReactNode;
}

export function ShopSettingsForm(props: ShopSettingsFormProps) {
  const t = useWords();
  const readError = useReadErrorText();
  const read = useShopSettings();
  if (read.data) return <Form answer={read.data} {...props} />;
  return read.isError ? <EmptyState text={readError} /> : <Loading label={t("app.loading")} />;
}

interface FormProps extends ShopSettingsFormProps {
  answer: SettingsAnswer;
}

/** Keeps what was read first: a later read does not overwrite what is being typed. */
function Form({ answer, save, alwaysReady = false, onSaved, children }: FormProps) {
  const t = useWords();
  const cache = useQueryClient();
  const { busy, problem, run, pinPad } = useOfficeRequest();
  const [saved, setSaved] = useState<ShopFields>(fieldsOf(answer.ajustes));
  const [fields, setFields] = useState<ShopFields>(saved);
  const changes = changesOf(fields, saved);
  const changed = Object.keys(changes).length > 0;
  const wrong = wrongIn(fields);
  const set = (more: Partial<ShopFields>): void => setFields({ ...fields, ...more });
  const isFixed = (name: SettingName): boolean => answer.fijados.includes(name);
  const send = async (): Promise<void> => {
    if (changed) {
      const now = fieldsOf((await changeSettings(changes)).ajustes);
      setSaved(now);
      setFields(now);
      await cache.invalidateQueries({ queryKey: SETTINGS });
    }
    onSaved();
  };
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        run(send);
      }}
    >
      <TitledCard title={t("shop_settings.shop")}>
        <div className={styles.fields}>
          <Field
            label={t("shop_settings.names.nombre_taller")}
            value={fields.nombre_taller}
            maxLength={NAME_CHARS_MAX}
            disabled={isFixed("nombre_taller")}
            placeholder={t("shop_settings.name_example")}
            onChange={(event) => set({ nombre_taller: event.target.value })}
          />
          <FixedNote fixed={isFixed("nombre_taller")} />
          <Zone zone={fields.zona_horaria} fixed={isFixed("zona_horaria")} onChange={(zona_horaria) => set({ zona_horaria })} />
          <Types types={fields.tipos_solo_arm} fixed={isFixed("tipos_solo_arm")} onChange={(tipos_solo_arm) => set({ tipos_solo_arm })} />
          <Toggles
            label={t("shop_settings.names.foto_en_rechazo")}
            hint={t("shop_settings.photo_why")}
            values={fields.foto_en_rechazo ? ["ask"] : []}
            options={[{ value: "ask", label: t("shop_settings.photo_asked") }]}
            onChange={(values) => set({ foto_en_rechazo: values.length > 0 })}
          />
        </div>
      </TitledCard>
      <TitledCard title={t("shop_settings.names.turnos")}>
        <FixedNote fixed={isFixed("turnos")} />
        <Shifts shifts={fields.turnos} disabled={isFixed("turnos")} onChange={(turnos) => set({ turnos })} />
      </TitledCard>
      <TitledCard title={t("shop_settings.names.limites_atraso")}>
        <Limits limits={fields.limites_atraso} onChange={(limites_atraso) => set({ limites_atraso })} />
      </TitledCard>
      <TitledCard title={t("shop_settings.names.calificacion")}>
        <FixedNote fixed={isFixed("calificacion")} />
        <WelderCheck value={fields.calificacion} onChange={(calificacion) => set({ calificacion })} />
      </TitledCard>
      <TitledCard title={t("shop_settings.names.ndt_reglas")}>
        <NdtSettings ndt={fields} onChange={set} />
      </TitledCard>
      {changed && wrong && <Callout tone="bad">{t(`shop_settings.wrong.${wrong}`)}</Callout>}
      {problem !== null && <Callout tone="bad">{problem}</Callout>}
      <div className={styles.buttons}>
        {children}
        {changed && (
          <Button size="large" disabled={busy} onClick={() => setFields(saved)}>
            {t("shop_settings.undo")}
          </Button>
        )}
        <Button type="submit" tone="signal" size="large" disabled={busy || (changed ? wrong !== null : !alwaysReady)}>
          {save}
        </Button>
      </div>
      {pinPad}
    </form>
  );
}

/** A value of the machine's environment wins over the page. */
function FixedNote({ fixed }: { fixed: boolean }) {
  const t = useWords();
  return (
    fixed && (
      <p className={styles.hint}>
        <Badge>{t("shop_settings.fixed")}</Badge> {t("shop_settings.fixed_why")}
      </p>
    )
  );
}

interface ZoneProps {
  zone: string;
  fixed: boolean;
  onChange: (zone: string) => void;
}

/** The time there tells whether it is the right one. */
function Zone({ zone, fixed, onChange }: ZoneProps) {
  const t = useWords();
  const id = useId();
  const now = useShopMinute();
  return (
    <div className={styles.field}>
      <Field
        label={t("shop_settings.names.zona_horaria")}
        value={zone}
        list={id}
        disabled={fixed}
        autoCapitalize="none"
        spellCheck={false}
        onChange={(event) => onChange(event.target.value.trim())}
      />
      <datalist id={id}>
        {Intl.supportedValuesOf("timeZone").map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <p className={styles.hint} role="status">
        {isTimeZone(zone) ? t("shop_settings.time_there", { time: timeIn(zone, now.at) }) : t("shop_settings.wrong.zone")}
      </p>
      <FixedNote fixed={fixed} />
    </div>
  );
}

interface TypesProps {
  types: readonly string[];
  fixed: boolean;
  onChange: (types: string[]) => void;
}

/** Keeps the text as it is typed. */
function Types({ types, fixed, onChange }: TypesProps) {
  const t = useWords();
  const [text, setText] = useState(typesText(types));
  const shown = typesOf(text).join() === types.join() ? text : typesText(types);
  return (
    <div className={styles.field}>
      <Field
        label={t("shop_settings.names.tipos_solo_arm")}
        value={shown}
        disabled={fixed}
        autoCapitalize="characters"
        spellCheck={false}
        onChange={(event) => {
          setText(event.target.value);
          onChange(typesOf(event.target.value));
        }}
      />
      <p className={styles.hint}>{t("shop_settings.types_why")}</p>
      <FixedNote fixed={fixed} />
    </div>
  );
}
