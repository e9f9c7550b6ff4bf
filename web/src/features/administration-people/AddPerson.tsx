// Somebody new: number, name and roles. The PIN comes after that, from their own page.
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { addPerson, type Person } from "@/api/personas";
import type { Rol } from "@/api/types";
import { useWords } from "@/i18n";
import { useOfficeRequest } from "@/shop/useOfficeRequest";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import { Dialog } from "@/ui/Dialog";
import { Field } from "@/ui/Field";
import { freeId } from "./people";
import styles from "./Person.module.css";
import { useFollowChange } from "./followChange";
import { RoleToggles } from "./RoleToggles";

export const NAME_CHARS_MAX = 100;
const ID_MAX = 2_147_483_647;

export function AddPerson({ people, onClose }: { people: readonly Person[]; onClose: () => void }) {
  const t = useWords();
  const navigate = useNavigate();
  const follow = useFollowChange();
  const { busy, problem, run, pinPad } = useOfficeRequest();
  const [id, setId] = useState(() => String(freeId(people)));
  const [nombre, setNombre] = useState("");
  const [apellido, setApellido] = useState("");
  const [roles, setRoles] = useState<Rol[]>([]);
  const taken = people.find((person) => String(person.id) === id.trim());
  const number = Number(id);
  const isNumber = Number.isInteger(number) && number >= 1 && number <= ID_MAX;
  const ready = isNumber && !taken && nombre.trim() !== "" && apellido.trim() !== "";
  const add = (): void =>
    run(async () => {
      await follow(addPerson({ id: number, nombre: nombre.trim(), apellido: apellido.trim(), roles }));
      onClose();
      await navigate({ to: "/administracion/personas", search: { persona: number } });
    });
  const actions = (
    <>
      <Button size="large" onClick={onClose}>
        {t("app.cancel")}
      </Button>
      <Button tone="signal" size="large" disabled={!ready || busy} onClick={add}>
        {t("people.add")}
      </Button>
    </>
  );
  return (
    <Dialog title={t("people.add")} size="large" onClose={onClose} actions={actions}>
      <div className={styles.form}>
        <div className={styles.newPerson}>
          <Field label={t("people.number")} inputMode="numeric" value={id} maxLength={10} onChange={(event) => setId(event.target.value)} />
          <Field label={t("people.nombre")} value={nombre} maxLength={NAME_CHARS_MAX} onChange={(event) => setNombre(event.target.value)} />
          <Field label={t("people.apellido")} value={apellido} maxLength={NAME_CHARS_MAX} onChange={(event) => setApellido(event.target.value)} />
        </div>
        {taken && <Callout tone="warn">{t("people.number_taken", { name: `${taken.nombre} ${taken.apellido}` })}</Callout>}
        <RoleToggles roles={roles} onChange={setRoles} />
        {problem !== null && <Callout tone="bad">{problem}</Callout>}
      </div>
      {pinPad}
    </Dialog>
  );
}
