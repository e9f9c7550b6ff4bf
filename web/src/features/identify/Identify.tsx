// Choosing who one is: a name or a number, the people of this tablet first.
import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useMemo, useState } from "react";

import type { Worker } from "@/api/shapes";
import { listWorkers } from "@/api/workers";
import { useWords } from "@/i18n";
import { recentIds } from "@/session/session";
import { Button } from "@/ui/Button";
import { EmptyState } from "@/ui/EmptyState";
import { Field } from "@/ui/Field";
import { Loading } from "@/ui/Loading";
import { SearchIcon } from "@/ui/icons";
import { arranged, findWorkers } from "./filter";
import styles from "./Identify.module.css";

export function Identify({ onChosen }: { onChosen: (worker: Worker) => void }) {
  const t = useWords();
  const [typed, setTyped] = useState("");
  const people = useQuery({ queryKey: ["workers"], queryFn: ({ signal }) => listWorkers(signal), refetchInterval: 60_000 });
  return (
    <section className={styles.identify} aria-labelledby="who">
      <h1 id="who" className={styles.title}>
        {t("identify.title")}
      </h1>
      <Field
        label={t("identify.search")}
        labelHidden
        placeholder={t("identify.search")}
        icon={<SearchIcon />}
        type="search"
        enterKeyHint="search"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      {people.data && <People workers={people.data} typed={typed} onChosen={onChosen} />}
      {people.isPending && <Loading label={t("app.loading")} />}
      {people.isError && !people.data && (
        <EmptyState text={t("app.unreachable")}>
          <Button onClick={() => void people.refetch()}>{t("app.retry")}</Button>
        </EmptyState>
      )}
    </section>
  );
}

interface PeopleProps {
  workers: Worker[];
  typed: string;
  onChosen: (worker: Worker) => void;
}

function People({ workers, typed, onChosen }: PeopleProps) {
  const t = useWords();
  const text = useDeferredValue(typed);
  const groups = useMemo(() => arranged(workers, recentIds()), [workers]);
  const found = useMemo(() => findWorkers(groups.all, text), [groups, text]);
  if (workers.length === 0) return <EmptyState text={t("identify.no_workers")} />;
  if (found.length === 0) return <EmptyState text={t("identify.none")} />;
  const recent = text.trim() === "" ? groups.recent : [];
  return (
    <>
      {recent.length > 0 && <Group title={t("identify.recent")} workers={recent} onChosen={onChosen} accent />}
      <Group title={t("identify.all")} workers={found} onChosen={onChosen} />
    </>
  );
}

interface GroupProps {
  title: string;
  workers: Worker[];
  onChosen: (worker: Worker) => void;
  accent?: boolean;
}

function Group({ title, workers, onChosen, accent = false }: GroupProps) {
  return (
    <section aria-label={title}>
      <h2 className={styles.group}>{title}</h2>
      <ul className={styles.people}>
        {workers.map((worker) => (
          <li key={worker.id}>
            <button type="button" className={accent ? styles.recent : styles.person} onClick={() => onChosen(worker)}>
              <span className={styles.number}>{worker.id}</span>
              <span className={styles.name}>
                {worker.nombre} {worker.apellido}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
