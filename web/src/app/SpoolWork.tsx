// What this worker can do now with the open spool for this operation; else who holds the spool, or why not.
import { useCallback } from "react";

import type { Operacion, SpoolCard, Worker, Workflow } from "@/api/types";
import { HandOver } from "@/features/hand-over/HandOver";
import { Inspect } from "@/features/inspect/Inspect";
import { UnsentTap } from "@/features/unsent/UnsentTap";
import { WorkByJoint } from "@/features/work-by-joint/WorkByJoint";
import { WorkWhole } from "@/features/work-whole/WorkWhole";
import { useWords } from "@/i18n";
import { useIsAway } from "@/live/hooks";
import { useAccess } from "@/session/access";
import { accessOf, type SpoolAccess } from "@/shop/access";
import type { WorkCard } from "@/shop/offlineReads";
import { workflowKey, type ShownWorkflow } from "@/shop/useShownWorkflow";
import type { Work } from "@/shop/useWork";
import { isAhead } from "@/taps/chain";
import { useTapsOn } from "@/taps/hooks";
import type { Tap } from "@/taps/tap";
import { Button } from "@/ui/Button";
import { NoticeSlot } from "@/ui/notices";
import { Outcome } from "@/ui/Outcome";
import { Obstacles } from "./Obstacles";
import styles from "./SpoolWork.module.css";

export interface SpoolWorkProps {
  card: SpoolCard;
  workflow: ShownWorkflow;
  worker: Worker;
  operacion: Operacion;
  work: Work;
  openJoints: WorkCard["openJoints"];
  asksServer: boolean;
  /** Opens the notes, to add a photo of a defect. */
  onPhoto: () => void;
}

export function SpoolWork(props: SpoolWorkProps) {
  const { card, workflow, worker, operacion, work } = props;
  const t = useWords();
  const taps = useTapsOn(card.tag_spool, worker.id);
  const away = useIsAway();
  const access = accessOf(card, worker.id, operacion);
  const changed = dependsOnWorkflow(operacion) ? workflow.changedTo : null;
  const blocked = changed !== null || (work.actualWorkflow !== null && work.actualWorkflow !== workflow.shown);
  return (
    <>
      {changed && <WorkflowChanged to={changed} onFollow={workflow.follow} />}
      {taps.map((tap) => tap.state === "unsent" && <UnsentTap key={tap.key} tap={tap} />)}
      {work.refusal && <Outcome tone="bad" text={work.refusal.detail} />}
      {work.actualWorkflow && <Outcome tone="warn" text={t(`spool.moved.${workflowKey(work.actualWorkflow)}`)} />}
      <Obstacles card={card} worker={worker} operacion={operacion} access={access} />
      {access.may === "end" && operacion !== "METROLOGIA" && (
        <HandOver spool={{ ...card, operacion }} worker={worker} busy={work.busy || taps.length > 0 || blocked} />
      )}
      <Buttons {...props} access={access} busy={work.busy || taps.some((tap) => stops(tap, worker, away)) || blocked} />
    </>
  );
}

/** Another worker's tap that still waits is shown, and stops nobody; one that the card shows as done lets its author go on. */
const stops = (tap: Tap, worker: Worker, away: boolean): boolean =>
  (tap.author === undefined || tap.author.worker_id === worker.id) && !isAhead(tap, away);

/** Repair and inspection are the same in both workflows. */
const dependsOnWorkflow = (operacion: Operacion): operacion is "ARM" | "SOLD" => operacion === "ARM" || operacion === "SOLD";

interface ButtonsProps extends SpoolWorkProps {
  access: SpoolAccess;
  busy: boolean;
}

function Buttons({ card, workflow, operacion, work, access, busy, openJoints, asksServer, onPhoto }: ButtonsProps) {
  const asksPhoto = useAccess().access?.foto_en_rechazo ?? false;
  const { may } = access;
  const tag = card.tag_spool;
  if (may === "inspect")
    return (
      <Inspect tag={tag} ciclo={card.ciclo} busy={busy} mayApprove={access.motivo === null} onResult={work.inspect} {...(asksPhoto && { onPhoto })} />
    );
  const byJoint = dependsOnWorkflow(operacion) && workflow.shown === "v4.0";
  return (
    <>
      {byJoint ? (
        <WorkByJoint
          card={card}
          operacion={operacion}
          may={may}
          busy={busy}
          open={openJoints(operacion)}
          asksServer={asksServer}
          onStart={() => work.act("INICIAR")}
          onFinish={work.finish}
        />
      ) : (
        may && <WorkWhole tag={tag} may={may} busy={busy} onAct={work.act} />
      )}
      {may === null && (
        <div className={styles.notices}>
          <NoticeSlot />
        </div>
      )}
    </>
  );
}

/** Shown before any button moves: the buttons stay where they are and do nothing until the worker goes on. */
function WorkflowChanged({ to, onFollow }: { to: Workflow; onFollow: () => void }) {
  const t = useWords();
  const scrollIntoView = useCallback((panel: HTMLElement | null) => panel?.scrollIntoView({ block: "start" }), []);
  return (
    <div className={styles.changed} ref={scrollIntoView}>
      <Outcome tone="warn" text={t(`spool.now.${workflowKey(to)}`)}>
        <p>{t("spool.changed_why")}</p>
        <Button size="large" tone="signal" onClick={onFollow}>
          {t(`spool.show.${workflowKey(to)}`)}
        </Button>
      </Outcome>
    </div>
  );
}
