// One person: what waits, the name, roles, PIN, badge, and whether they work here.
import type { Person } from "@/api/personas";
import { useWords } from "@/i18n";
import { Badge } from "@/ui/Badge";
import { ButtonLink } from "@/ui/ButtonLink";
import { SectionPage } from "@/ui/SectionPage";
import { BackIcon } from "@/ui/icons";
import { fullName, isWaiting } from "./people";
import styles from "./Person.module.css";
import { PersonActive } from "./PersonActive";
import { PersonBadge } from "./PersonBadge";
import { PersonMarks } from "./PersonMarks";
import { PersonName } from "./PersonName";
import { PersonPin } from "./PersonPin";
import { PersonRoles } from "./PersonRoles";
import { WaitingPrivileges } from "./WaitingPrivileges";

export function PersonPage({ person, administrator }: { person: Person; administrator: boolean }) {
  const t = useWords();
  const marks = (
    <span className={styles.marks}>
      <Badge tone="solid">{person.label}</Badge>
      {!administrator && person.roles.map((rol) => <Badge key={rol}>{t(`people.roles.${rol}`)}</Badge>)}
      <PersonMarks person={person} />
    </span>
  );
  const back = (
    <ButtonLink to="/administracion/personas" search={{}}>
      <BackIcon size={22} />
      {t("people.all")}
    </ButtonLink>
  );
  return (
    <SectionPage title={fullName(person)} intro={marks} actions={back} detail>
      {administrator && isWaiting(person) && <WaitingPrivileges person={person} />}
      <div className={styles.cards}>
        <PersonPin person={person} />
        {administrator && (
          <>
            <PersonRoles person={person} />
            <PersonActive person={person} />
            <PersonName person={person} />
            <PersonBadge person={person} />
          </>
        )}
      </div>
    </SectionPage>
  );
}
