// What is unusual about a person, in a word each.
import type { Person } from "@/api/personas";
import { useWords } from "@/i18n";
import { Badge } from "@/ui/Badge";
import { isLocked, isWaiting } from "./people";

export function PersonMarks({ person }: { person: Person }) {
  const t = useWords();
  return (
    <>
      {isWaiting(person) && <Badge tone="warn">{t("people.waiting")}</Badge>}
      {isLocked(person) && <Badge tone="bad">{t("people.locked")}</Badge>}
      {person.activo && !person.tiene_pin && <Badge tone="warn">{t("people.no_pin")}</Badge>}
      {!person.activo && <Badge>{t("people.inactive")}</Badge>}
    </>
  );
}
