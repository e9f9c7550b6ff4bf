// The roles of a person: those of the floor, and the privileges apart.
import type { Rol } from "@/api/types";
import { useWords } from "@/i18n";
import { Toggles } from "@/ui/Toggles";
import { FLOOR_ROLES, PRIVILEGES } from "./people";

export function RoleToggles({ roles, onChange }: { roles: readonly Rol[]; onChange: (roles: Rol[]) => void }) {
  const t = useWords();
  const options = (of: readonly Rol[]) => of.map((value) => ({ value, label: t(`people.roles.${value}`) }));
  return (
    <>
      <Toggles label={t("people.floor_roles")} values={roles} options={options(FLOOR_ROLES)} onChange={onChange} />
      <Toggles
        label={t("people.privileges")}
        hint={t("people.privileges_hint")}
        values={roles}
        options={options(PRIVILEGES)}
        onChange={onChange}
      />
    </>
  );
}
