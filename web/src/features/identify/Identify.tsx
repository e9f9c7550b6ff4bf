// The worker chooses their name, by name or number; those who used this tablet lately come first.
import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useMemo, useState, type ReactNode } from "react";

import type { Rol, Worker } from "@/api/types";
import { listWorkers } from "@/api/workers";
import { useWords } from "@/i18n";
import { useReadErrorText } from "@/live/hooks";
import { recentWorkerIds } from "@/session/session";
import { Button } from "@/ui/Button";
import { EmptyState } from "@/ui/EmptyState";
import { initialsOf } from "@/ui/Face";
import { Loading } from "@/ui/Loading";
import { SearchField } from "@/ui/SearchField";
import { NoticeSlot } from "@/ui/notices";
import { arrangeWorkers, findWorkers, fullName } from "@/shop/findWorkers";
import styles from "./Identify.module.css";

const WORKERS_EVERY_MS = 60_000;
const FAILED_EVERY_MS = 5_000;
const pollInterval = ({ state }: { state: { status: string } }): number =>
  state.status === "error" ? FAILED_EVERY_MS : WORKERS_EVERY_MS;

interface IdentifyProps {
  onChosen: (worker: Worker) => void;
  /** Only workers with this role, or with one of these, are offered. */
  rol?: Rol | readonly Rol[];
  /** The people who signed in on this device lately, the last one first. Missing: as this tablet remembers them. */
  recent?: readonly Worker[] | undefined;
  /** More under the title. */
  children?: ReactNode;
}

export function Identify({ onChosen, rol, recent, children }: IdentifyProps) {
  const t = useWords();
  const readError = useReadErrorText();
  const [typed, setTyped] = useState("");
  const people = useQuery({ queryKey: ["workers"], queryFn: ({ signal }) => listWorkers(signal), refetchInterval: pollInterval });
  return (
    <section className={styles.identify} aria-labelledby="who">
      <h1 id="who" className={styles.title}>
        {t("identify.title")}
      </h1>
      {children}
      <SearchField label={t("identify.search")} value={typed} onChange={setTyped} />
      {people.data && <People workers={people.data} typed={typed} onChosen={onChosen} rol={rol} seen={recent} />}
      {people.isPending && <Loading label={t("app.loading")} />}
      {people.isError && !people.data && (
        <EmptyState text={readError}>
          <Button onClick={() => void people.refetch()}>{t("app.retry")}</Button>
        </EmptyState>
      )}
      <div className={styles.notices}>
        <NoticeSlot />
      </div>
    </section>
  );
}

interface PeopleProps {
  workers: Worker[];
  typed: string;
  onChosen: (worker: Worker) => void;
  rol: Rol | readonly Rol[] | undefined;
  seen: readonly Worker[] | undefined;
}

function People({ workers, typed, onChosen, rol, seen }: PeopleProps) {
  const t = useWords();
  const text = useDeferredValue(typed);
  const groups = useMemo(() => {
    const recentIds = seen?.map(({ id }) => id) ?? recentWorkerIds();
    return arrangeWorkers(withRol(workers, rol), recentIds);
  }, [workers, rol, seen]);
  const found = useMemo(() => findWorkers(groups.all, text), [groups, text]);
  if (workers.length === 0) return <EmptyState text={t("identify.no_workers")} />;
  if (rol && groups.all.length === 0) return <EmptyState text={t("identify.no_rol", { rol: [rol].flat().join(", ") })} />;
  if (found.length === 0) return <EmptyState text={t("identify.none")} />;
  const recent = text.trim() === "" ? groups.recent : [];
  return (
    <>
      {recent.length > 0 && <Group title={t("identify.recent")} workers={recent} onChosen={onChosen} accent faces={seen !== undefined} />}
      <Group title={t("identify.all")} workers={found} onChosen={onChosen} />
    </>
  );
}

const withRol = (workers: Worker[], rol: Rol | readonly Rol[] | undefined): Worker[] =>
  rol ? workers.filter((worker) => [rol].flat().some((each) => worker.roles.includes(each))) : workers;

interface GroupProps {
  title: string;
  workers: Worker[];
  onChosen: (worker: Worker) => void;
  accent?: boolean;
  /** Initials instead of numbers. */
  faces?: boolean;
}

function Group({ title, workers, onChosen, accent = false, faces = false }: GroupProps) {
  return (
    <section aria-label={title}>
      <h2 className={styles.group}>{title}</h2>
      <ul className={styles.people}>
        {workers.map((worker) => (
          <li key={worker.id}>
            <button type="button" className={accent ? styles.recent : styles.person} onClick={() => onChosen(worker)}>
              <span className={styles.number}>{faces ? initialsOf(worker.label) : worker.id}</span>
              <span className={styles.name}>{fullName(worker)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
