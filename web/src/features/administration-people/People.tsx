// Everybody who works here: found by name, with what needs attention; a tap opens the person.
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useDeferredValue, useState } from "react";

import type { Person } from "@/api/personas";
import { useWords } from "@/i18n";
import { useReadErrorText } from "@/live/hooks";
import { usePeople } from "@/shop/usePeople";
import { Button } from "@/ui/Button";
import { Choice } from "@/ui/Choice";
import { EmptyState } from "@/ui/EmptyState";
import { Loading } from "@/ui/Loading";
import { SearchField } from "@/ui/SearchField";
import { SectionPage } from "@/ui/SectionPage";
import { NextIcon, PlusIcon, PrintIcon } from "@/ui/icons";
import { useReturnHere } from "@/ui/useReturnHere";
import { AddPerson } from "./AddPerson";
import { ManyCards } from "./ManyCards";
import { countPeople, findPeople, fullName, visiblePeople, type Which } from "./people";
import styles from "./People.module.css";
import { PersonMarks } from "./PersonMarks";
import { PersonPage } from "./PersonPage";

const GROUPS: readonly Which[] = ["active", "attention", "inactive"];

/** `administrator`: may change people; a supervisor gives PINs to the floor. */
export function People({ administrator }: { administrator: boolean }) {
  const t = useWords();
  const readError = useReadErrorText();
  const { persona } = useSearch({ from: "/office/administracion/personas" });
  const [left, setLeft] = useState(persona); // whose page was open last
  if (persona !== undefined && persona !== left) setLeft(persona);
  const read = usePeople();
  if (!read.data) {
    return (
      <SectionPage title={t("administration.personas.title")}>
        {read.isError ? <EmptyState text={readError} /> : <Loading label={t("app.loading")} />}
      </SectionPage>
    );
  }
  const people = visiblePeople(read.data, administrator);
  const chosen = people.find(({ id }) => id === persona);
  if (chosen) return <PersonPage key={chosen.id} person={chosen} administrator={administrator} />;
  return <PeopleList people={people} administrator={administrator} left={left} />;
}

interface PeopleListProps {
  people: readonly Person[];
  administrator: boolean;
  /** The list opens where this person is. */
  left: number | undefined;
}

function PeopleList({ people, administrator, left }: PeopleListProps) {
  const t = useWords();
  const [asked, setAsked] = useState<"add" | "cards" | null>(null);
  const close = (): void => setAsked(null);
  const actions = administrator && (
    <>
      <Button icon={<PrintIcon />} onClick={() => setAsked("cards")}>
        {t("people.cards")}
      </Button>
      <Button tone="signal" icon={<PlusIcon />} onClick={() => setAsked("add")}>
        {t("people.add")}
      </Button>
    </>
  );
  return (
    <SectionPage
      title={t("administration.personas.title")}
      intro={t(administrator ? "administration.personas.intro" : "people.supervisor_intro")}
      actions={actions}
    >
      <Found people={people} left={left} />
      {asked === "add" && <AddPerson people={people} onClose={close} />}
      {asked === "cards" && <ManyCards people={people} onClose={close} />}
    </SectionPage>
  );
}

function Found({ people, left }: Pick<PeopleListProps, "people" | "left">) {
  const t = useWords();
  const [typed, setTyped] = useState("");
  const [which, setWhich] = useState<Which>("active");
  const text = useDeferredValue(typed);
  const found = findPeople(people, which, text);
  return (
    <>
      <div className={styles.find}>
        <SearchField label={t("people.search")} value={typed} onChange={setTyped} />
        <Choice
          label={t("people.which")}
          value={which}
          options={GROUPS.map((value) => ({ value, label: t(`people.groups.${value}`, { n: countPeople(people, value) }) }))}
          onChange={(value) => {
            setWhich(value);
            setTyped("");
          }}
        />
      </div>
      {found.length === 0 && <EmptyState text={t(text.trim() === "" ? `people.none.${which}` : "people.none_found")} />}
      <ul className={styles.people} aria-label={t("administration.personas.title")}>
        {found.map((person) => (
          <PersonRow key={person.id} person={person} wasOpen={person.id === left} />
        ))}
      </ul>
    </>
  );
}

function PersonRow({ person, wasOpen }: { person: Person; wasOpen: boolean }) {
  const t = useWords();
  const navigate = useNavigate();
  const button = useReturnHere<HTMLButtonElement>(wasOpen);
  const open = (): void => void navigate({ to: "/administracion/personas", search: { persona: person.id } });
  return (
    <li>
      <button ref={button} type="button" className={styles.person} onClick={open}>
        <span className={styles.number}>{person.id}</span>
        <span className={styles.words}>
          <strong className={styles.name}>{fullName(person)}</strong>
          <span className={styles.roles}>
            {person.roles.length > 0 ? person.roles.map((rol) => t(`people.roles.${rol}`)).join(" · ") : t("people.no_roles")}
          </span>
        </span>
        <span className={styles.marks}>
          <PersonMarks person={person} />
        </span>
        <NextIcon size={22} />
      </button>
    </li>
  );
}
