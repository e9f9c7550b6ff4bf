// What is unusual about a person, in a word each.
import type { Person } from "@/api/personas";
import { useWords } from "@/i18n";
import { Badge } from "@/ui/Badge";
import { isLocked } from "./people";

export function PersonMarks({ person }: { person: Person }) {
  const t = useWords();
  return (
    <>
      {person.roles_pendientes.map((rol) => (
        <Badge key={rol} tone="warn">
          {t("people.role_waits", { rol: t(`people.roles.${rol}`) })}
        </Badge>
      ))}
      {person.cambio_pendiente && <Badge tone="warn">{t("people.waiting")}</Badge>}
      {isLocked(person) && <Badge tone="bad">{t("people.locked")}</Badge>}
      {person.activo && !person.tiene_pin && <Badge tone="warn">{t("people.no_pin")}</Badge>}
      {!person.activo && <Badge>{t("people.inactive")}</Badge>}
    </>
  );
}
