// One spool: what it is, who has it, and what can be done with it now, in the workflow it has now.
import { useNavigate, useParams } from "@tanstack/react-router";
import { useEffect, useRef } from "react";

import { Refused } from "@/api/http";
import type { Operacion, SpoolCard, Worker, Workflow } from "@/api/shapes";
import { Inspect } from "@/features/inspect/Inspect";
import { UnsentTap } from "@/features/unsent/UnsentTap";
import { WorkByJoint } from "@/features/work-by-joint/WorkByJoint";
import { WorkWhole } from "@/features/work-whole/WorkWhole";
import { useWords } from "@/i18n";
import { useUnread } from "@/live/hooks";
import { useWorker } from "@/session/session";
import { SpoolHead } from "@/shop/SpoolHead";
import { useCard, useVersion } from "@/shop/reads";
import { useWork, type Work } from "@/shop/useWork";
import { useTapOn } from "@/taps/hooks";
import { Button } from "@/ui/Button";
import { EmptyState } from "@/ui/EmptyState";
import { Loading } from "@/ui/Loading";
import { Outcome } from "@/ui/Outcome";
import { BackIcon } from "@/ui/icons";
import styles from "./SpoolPage.module.css";
import { toList } from "./routes";

/** Long enough to be read at a glance. */
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
  const unread = useUnread();
  const navigate = useNavigate();
  const card = useCard(tag, worker.id);
  const workflow = useWorkflow(tag, operacion, card.data);
  const work = useWork(tag, worker, operacion);
  const heading = useFocus();
  const back = (): void => void navigate(toList(operacion));
  useReturn(work.done !== null, back);
  return (
    <article className={styles.page} aria-label={tag}>
      <div className={styles.top}>
        <Button className={styles.back} aria-label={t("app.back")} onClick={back} icon={<BackIcon />} />
        <h2 className={styles.tag} tabIndex={-1} ref={heading}>
          {tag}
        </h2>
      </div>
      <div className={styles.body}>
        {card.data && <SpoolHead card={card.data} worker={worker} operacion={operacion} />}
        {work.done !== null ? (
          <Outcome tone="good" text={work.done} />
        ) : card.data && workflow ? (
          <Doing card={card.data} workflow={workflow} worker={worker} operacion={operacion} work={work} />
        ) : card.isError && !card.data ? (
          <EmptyState text={card.error instanceof Refused ? card.error.message : unread}>
            <Button onClick={() => void card.refetch()}>{t("app.retry")}</Button>
          </EmptyState>
        ) : (
          <Loading label={t("spool.asking")} />
        )}
      </div>
    </article>
  );
}

interface DoingProps {
  card: SpoolCard;
  workflow: Workflow;
  worker: Worker;
  operacion: Operacion;
  work: Work;
}

function Doing({ card, workflow, worker, operacion, work }: DoingProps) {
  const tap = useTapOn(card.tag_spool);
  const t = useWords();
  const mine = card.ocupado_por_id === worker.id && card.operacion_actual === operacion;
  const busy = work.busy || tap !== undefined;
  const over = card.retirado && !mine && tap === undefined; // whoever holds it may still put it down
  return (
    <>
      {tap?.state === "unsent" && <UnsentTap tap={tap} />}
      {work.refusal && <Outcome tone="bad" text={work.refusal.detail} />}
      {over ? (
        <EmptyState text={t("spool.retired_why")} />
      ) : operacion === "METROLOGIA" ? (
        <Inspect tag={card.tag_spool} ciclo={card.ciclo} busy={busy} onVerdict={work.inspect} />
      ) : operacion === "REPARACION" || workflow === "v3.0" ? (
        <WorkWhole tag={card.tag_spool} mine={mine} busy={busy} onAct={work.act} />
      ) : (
        <WorkByJoint
          card={card}
          operacion={operacion}
          mine={mine}
          busy={busy}
          onStart={() => work.act("INICIAR")}
          onFinish={work.finish}
        />
      )}
    </>
  );
}

/** Asked just in time. Repair and inspection are the same in both; where nobody answers, the card's word is good enough. */
function useWorkflow(tag: string, operacion: Operacion, card: SpoolCard | undefined): Workflow | undefined {
  const version = useVersion(tag);
  if (operacion === "METROLOGIA" || operacion === "REPARACION" || version.isError) return card?.version_workflow;
  return version.data;
}

/** Whoever listens to the screen hears which spool was opened. */
function useFocus() {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return heading;
}

function useReturn(done: boolean, back: () => void): void {
  const last = useRef(back);
  useEffect(() => {
    last.current = back;
  });
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => last.current(), RETURN_MS);
    return () => clearTimeout(timer);
  }, [done]);
}
