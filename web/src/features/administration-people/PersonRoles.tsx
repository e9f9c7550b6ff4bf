// What a person may do. Saved as a whole, with the administrator's PIN.
import { useState } from "react";

import { setRoles, type Person } from "@/api/personas";
import type { Rol } from "@/api/types";
import { useWords } from "@/i18n";
import { useOfficeRequest } from "@/shop/useOfficeRequest";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import { TitledCard } from "@/ui/TitledCard";
import { ROLES, sameRoles } from "./people";
import styles from "./Person.module.css";
import { useFollowChange } from "./followChange";
import { RoleToggles } from "./RoleToggles";

export function PersonRoles({ person }: { person: Person }) {
  const t = useWords();
  const follow = useFollowChange();
  const { busy, problem, run, pinPad } = useOfficeRequest();
  const [chosen, setChosen] = useState<Rol[] | null>(null); // null: as the server has them
  const roles = chosen ?? person.roles;
  const save = (): void =>
    run(async () => {
      await follow(setRoles(person.id, ROLES.filter((rol) => roles.includes(rol))));
      setChosen(null);
    });
  return (
    <TitledCard title={t("people.roles_title")}>
      <RoleToggles roles={roles} onChange={setChosen} />
      {problem !== null && <Callout tone="bad">{problem}</Callout>}
      <div className={styles.buttons}>
        <Button tone="signal" disabled={busy || sameRoles(roles, person.roles)} onClick={save}>
          {t("people.save_roles")}
        </Button>
      </div>
      {pinPad}
    </TitledCard>
  );
}
