// What waits for the administrator in a section, in a word each: on the first page, before anything is opened.
import type { Person } from "@/api/personas";
import { isLocked, isWaiting } from "@/features/administration-people/people";
import { useBackups } from "@/features/backups/reads";
import { useWords } from "@/i18n";
import { usePeople } from "@/shop/usePeople";
import { Badge } from "@/ui/Badge";
import type { Section } from "./administrationSections";

export function SectionMarks({ section }: { section: Section }) {
  if (section === "personas") return <PeopleMarks />;
  return section === "respaldo" ? <BackupMark /> : null;
}

function PeopleMarks() {
  const t = useWords();
  const people = usePeople().data ?? [];
  const count = (of: (person: Person) => boolean): number => people.filter(of).length;
  const waiting = count(isWaiting);
  const locked = count((person) => person.activo && isLocked(person));
  const without = count(({ activo, tiene_pin }) => activo && !tiene_pin);
  return (
    <>
      {waiting > 0 && <Badge tone="warn">{t("administration.waiting", { count: waiting })}</Badge>}
      {locked > 0 && <Badge tone="bad">{t("administration.locked", { count: locked })}</Badge>}
      {without > 0 && <Badge tone="warn">{t("administration.without_pin", { count: without })}</Badge>}
    </>
  );
}

function BackupMark() {
  const t = useWords();
  return useBackups().data?.vencido === true && <Badge tone="bad">{t("administration.backup_due")}</Badge>;
}
