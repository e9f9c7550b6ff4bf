// The screen of one spool: its facts, its holder, and what the worker can do with it now, in its present workflow.
import { useNavigate, useParams } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";

import { RefusedError } from "@/api/http";
import type { Operacion, Worker } from "@/api/types";
import { SpoolExams } from "@/features/ndt/SpoolExams";
import { LastNote, NotesButton } from "@/features/notes/Notes";
import { NotesDialog } from "@/features/notes/NotesDialog";
import { useWords } from "@/i18n";
import { useReadErrorText } from "@/live/hooks";
import { useWorker } from "@/session/session";
import { SpoolHead } from "@/shop/SpoolHead";
import { useWorkCard } from "@/shop/offlineReads";
import { useShownWorkflow } from "@/shop/useShownWorkflow";
import { useWork } from "@/shop/useWork";
import { Button } from "@/ui/Button";
import { EmptyState } from "@/ui/EmptyState";
import { Loading } from "@/ui/Loading";
import { Outcome } from "@/ui/Outcome";
import { BackIcon, DownloadIcon } from "@/ui/icons";
import styles from "./SpoolPage.module.css";
import { SpoolWork } from "./SpoolWork";
import { toList } from "./routes";

/** Long enough to read the outcome at a glance. */
const RETURN_MS = 1_500;

export function SpoolPage() {
  const worker = useWorker();
  const { operacion, tag } = useParams({ from: "/floor/trabajo/$operacion/$tag" });
  return worker && <OneSpool key={`${worker.id} ${operacion} ${tag}`} worker={worker} operacion={operacion as Operacion} tag={tag} />;
}

interface OneSpoolProps {
  worker: Worker;
  operacion: Operacion;
  tag: string;
}

function OneSpool({ worker, operacion, tag }: OneSpoolProps) {
  const t = useWords();
  const readError = useReadErrorText();
  const navigate = useNavigate();
  const { card, error, retry, ...joints } = useWorkCard(tag, worker);
  const work = useWork(tag, worker, operacion);
  const workflow = useShownWorkflow(card, work.actualWorkflow);
  const heading = useFocusedHeading();
  const [notesOpen, setNotesOpen] = useState(false);
  const openNotes = (): void => setNotesOpen(true);
  const back = (): void => void navigate(toList(operacion));
  useReturnAfter(work.done !== null && !notesOpen, back);
  return (
    <article className={styles.page} aria-label={tag}>
      <div className={styles.top}>
        <Button className={styles.back} aria-label={t("app.back")} onClick={back} icon={<BackIcon />} />
        <h2 className={styles.tag} tabIndex={-1} ref={heading}>
          {tag}
        </h2>
        {card && !card.retirado && <NotesButton card={card} onOpen={openNotes} />}
        {operacion === "METROLOGIA" && (
          <Button className={styles.dossier} aria-label={t("dossier.title")} onClick={() => void navigate({ to: "/dossier", search: { spool: tag } })} icon={<DownloadIcon />} />
        )}
      </div>
      <div className={styles.body}>
        {card && <SpoolHead card={card} worker={worker} operacion={operacion} />}
        {card && <LastNote card={card} onOpen={openNotes} />}
        {card && card.ndt !== "" && <SpoolExams card={card} worker={worker} />}
        {work.done !== null ? (
          <Outcome tone="good" text={work.done} />
        ) : card && workflow ? (
          <SpoolWork card={card} workflow={workflow} worker={worker} operacion={operacion} work={work} onPhoto={openNotes} {...joints} />
        ) : error ? (
          <EmptyState text={error instanceof RefusedError ? error.message : readError}>
            <Button onClick={retry}>{t("app.retry")}</Button>
          </EmptyState>
        ) : (
          <Loading label={t("app.loading")} />
        )}
      </div>
      {card && notesOpen && <NotesDialog card={card} worker={worker} operacion={operacion} onClose={() => setNotesOpen(false)} />}
    </article>
  );
}

/** A screen reader then says which spool was opened. */
function useFocusedHeading() {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return heading;
}

function useReturnAfter(done: boolean, back: () => void): void {
  const latestBack = useRef(back);
  useEffect(() => {
    latestBack.current = back;
  });
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => latestBack.current(), RETURN_MS);
    return () => clearTimeout(timer);
  }, [done]);
}
