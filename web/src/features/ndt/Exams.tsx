// The work list of examinations: what waits for a result, what waits for a repair, results; filtered by method and OT.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";

import { listExams, type ExamQuery, type Owed } from "@/api/ndt";
import type { Worker } from "@/api/types";
import { useWords } from "@/i18n";
import { useReadErrorText } from "@/live/hooks";
import { useDebounced } from "@/shop/useDebounced";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import { Choice } from "@/ui/Choice";
import { EmptyState } from "@/ui/EmptyState";
import { Field } from "@/ui/Field";
import { Loading } from "@/ui/Loading";
import { Select } from "@/ui/Select";
import { ExamRow } from "./ExamRow";
import styles from "./Ndt.module.css";
import { Rates } from "./Rates";
import { mayExamine, mayRepair } from "./roles";
import { NDT_KEY, useNdtNews } from "./useNdt";

const VIEWS = ["PENDIENTE", "POR_REPARAR", "RESULTADOS", "TASAS"] as const;
type View = (typeof VIEWS)[number];
const OT_CHARS_MAX = 100;
const TYPING_MS = 300;

/** A welder begins with what is to be repaired. */
const firstView = (worker: Worker): View => (mayRepair(worker) && !mayExamine(worker) ? "POR_REPARAR" : "PENDIENTE");

export function Exams({ worker }: { worker: Worker }) {
  const t = useWords();
  const [view, setView] = useState(firstView(worker));
  useNdtNews();
  return (
    <>
      <Choice label={t("ndt.view")} value={view} options={VIEWS.map((value) => ({ value, label: t(`ndt.views.${value}`) }))} onChange={setView} />
      {view === "TASAS" ? <Rates /> : <List key={view} view={view} worker={worker} />}
    </>
  );
}

function List({ view, worker }: { view: Exclude<View, "TASAS">; worker: Worker }) {
  const t = useWords();
  const [metodo, setMetodo] = useState("");
  const [ot, setOt] = useState("");
  const { query, exams, first } = useExams(view, metodo, useDebounced(ot.trim(), TYPING_MS));
  const methods = [{ value: "", label: t("ndt.all_methods") }, ...(first?.metodos ?? []).map((value) => ({ value, label: value }))];
  return (
    <>
      <div className={styles.filters}>
        <Select label={t("ndt.method")} value={metodo} options={methods} onChange={setMetodo} />
        <Field label={t("ndt.ot")} value={ot} maxLength={OT_CHARS_MAX} autoComplete="off" onChange={(event) => setOt(event.target.value)} />
      </div>
      {view === "PENDIENTE" && first && <p role="status">{t("ndt.waiting", { count: first.pendientes })}</p>}
      {view === "PENDIENTE" && <OwedList owed={first?.debidos ?? []} />}
      <ReadList pending={query.isPending} failed={query.isError && !first} empty={exams.length === 0}>
        <ul className={styles.rows}>
          {exams.map((exam) => (
            <ExamRow key={exam.id} exam={exam} worker={worker} defects={first?.defectos ?? []} />
          ))}
        </ul>
        {query.hasNextPage && (
          <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {t("ndt.more")}
          </Button>
        )}
      </ReadList>
    </>
  );
}

function useExams(view: Exclude<View, "TASAS">, metodo: string, ot: string) {
  const estado = view === "RESULTADOS" ? {} : { estado: view };
  const query = useInfiniteQuery({
    queryKey: [NDT_KEY, "list", view, metodo, ot],
    queryFn: ({ pageParam, signal }) => listExams({ ...estado, metodo, ot, cursor: pageParam } satisfies ExamQuery, signal),
    // Results are read from behind those that wait: a cursor of that kind with a number above all.
    initialPageParam: view === "RESULTADOS" ? "r999999999999999999" : "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
  const pages = query.data?.pages ?? [];
  return { query, exams: pages.flatMap((page) => page.ensayos), first: pages[0] };
}

interface ReadListProps {
  pending: boolean;
  failed: boolean;
  empty: boolean;
  children: ReactNode;
}

function ReadList({ pending, failed, empty, children }: ReadListProps) {
  const t = useWords();
  const readError = useReadErrorText();
  if (pending) return <Loading label={t("app.loading")} />;
  if (failed) return <EmptyState text={readError} />;
  return empty ? <EmptyState text={t("ndt.none")} /> : children;
}

function OwedList({ owed }: { owed: readonly Owed[] }) {
  const t = useWords();
  if (owed.length === 0) return null;
  return (
    <Callout tone="warn">
      <strong>{t("ndt.owed")}</strong>
      <ul>
        {owed.map(({ soldador, ot, metodo, faltan }) => (
          <li key={`${soldador} ${ot} ${metodo}`}>{t("ndt.owed_row", { soldador, ot, metodo, count: faltan })}</li>
        ))}
      </ul>
      {t("ndt.owed_why")}
    </Callout>
  );
}
