// A person's name. The label of their taps follows it.
import { useState, type SyntheticEvent } from "react";

import { renamePerson, type Person } from "@/api/personas";
import { useWords } from "@/i18n";
import { useOfficeRequest } from "@/shop/useOfficeRequest";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import { Field } from "@/ui/Field";
import { TitledCard } from "@/ui/TitledCard";
import { NAME_CHARS_MAX } from "./AddPerson";
import styles from "./Person.module.css";
import { useFollowChange } from "./followChange";

export function PersonName({ person }: { person: Person }) {
  const t = useWords();
  const follow = useFollowChange();
  const { busy, problem, run, pinPad } = useOfficeRequest();
  const [typed, setTyped] = useState<{ nombre: string; apellido: string } | null>(null); // null: as the server has it
  const { nombre, apellido } = typed ?? person;
  const changed = nombre.trim() !== person.nombre || apellido.trim() !== person.apellido;
  const save = (event: SyntheticEvent): void => {
    event.preventDefault();
    run(async () => {
      await follow(renamePerson(person.id, nombre.trim(), apellido.trim()));
      setTyped(null);
    });
  };
  return (
    <TitledCard title={t("people.name")}>
      <form className={styles.form} onSubmit={save}>
        <Field label={t("people.nombre")} value={nombre} maxLength={NAME_CHARS_MAX} onChange={(event) => setTyped({ nombre: event.target.value, apellido })} />
        <Field label={t("people.apellido")} value={apellido} maxLength={NAME_CHARS_MAX} onChange={(event) => setTyped({ nombre, apellido: event.target.value })} />
        <p className={styles.hint}>{t("people.name_hint")}</p>
        {problem !== null && <Callout tone="bad">{problem}</Callout>}
        <div className={styles.buttons}>
          <Button type="submit" tone="signal" disabled={busy || !changed || nombre.trim() === "" || apellido.trim() === ""}>
            {t("people.save_name")}
          </Button>
        </div>
      </form>
      {pinPad}
    </TitledCard>
  );
}
