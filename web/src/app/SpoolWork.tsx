// What can be done with the spool that is open: by this worker, for this operation, now. Else who has it, or why not.
import { useCallback } from "react";

import type { Operacion, SpoolCard, Worker } from "@/api/types";
import { Inspect } from "@/features/inspect/Inspect";
import { UnsentTap } from "@/features/unsent/UnsentTap";
import { WorkByJoint } from "@/features/work-by-joint/WorkByJoint";
import { WorkWhole } from "@/features/work-whole/WorkWhole";
import { useWords } from "@/i18n";
import { standingOf, type Standing } from "@/shop/standing";
import { sentencesOf, type ShownWorkflow } from "@/shop/useShownWorkflow";
import type { Work } from "@/shop/useWork";
import { useTapOn } from "@/taps/hooks";
import { Button } from "@/ui/Button";
import { NoticePlace } from "@/ui/notices";
import { Outcome } from "@/ui/Outcome";
import { InTheWay } from "./InTheWay";
import styles from "./SpoolWork.module.css";

export interface SpoolWorkProps {
  card: SpoolCard;
  workflow: ShownWorkflow;
  worker: Worker;
  operacion: Operacion;
  work: Work;
}

export function SpoolWork(props: SpoolWorkProps) {
  const { card, workflow, worker, operacion, work } = props;
  const t = useWords();
  const tap = useTapOn(card.tag_spool);
  const standing = standingOf(card, worker.id, operacion);
  const changed = byWorkflow(operacion) ? workflow.changedTo : null;
  const waits = changed !== null || (work.movedTo !== null && work.movedTo !== workflow.shown);
  return (
    <>
      {changed && <Changed to={changed} onFollow={workflow.follow} />}
      {tap?.state === "unsent" && <UnsentTap tap={tap} />}
      {work.refusal && <Outcome tone="bad" text={work.refusal.detail} />}
      {work.movedTo && <Outcome tone="warn" text={t(`spool.moved.${sentencesOf(work.movedTo)}`)} />}
      <InTheWay card={card} worker={worker} operacion={operacion} standing={standing} />
      <Buttons {...props} standing={standing} busy={work.busy || tap !== undefined || waits} />
    </>
  );
}

/** Repair and inspection are the same in both workflows. */
const byWorkflow = (operacion: Operacion): operacion is "ARM" | "SOLD" => operacion === "ARM" || operacion === "SOLD";

interface ButtonsProps extends SpoolWorkProps {
  standing: Standing;
  busy: boolean;
}

function Buttons({ card, workflow, operacion, work, standing, busy }: ButtonsProps) {
  const { may } = standing;
  const tag = card.tag_spool;
  if (may === "inspect") return <Inspect tag={tag} ciclo={card.ciclo} busy={busy} onVerdict={work.inspect} />;
  const byJoint = byWorkflow(operacion) && workflow.shown === "v4.0";
  return (
    <>
      {byJoint ? (
        <WorkByJoint
          card={card}
          operacion={operacion}
          may={may}
          busy={busy}
          onStart={() => work.act("INICIAR")}
          onFinish={work.finish}
        />
      ) : (
        may && <WorkWhole tag={tag} may={may} busy={busy} onAct={work.act} />
      )}
      {may === null && (
        <div className={styles.notices}>
          <NoticePlace />
        </div>
      )}
    </>
  );
}

/** Said before any button moves: those on the screen stay where they are and do nothing until the worker goes on. */
function Changed({ to, onFollow }: { to: "v3.0" | "v4.0"; onFollow: () => void }) {
  const t = useWords();
  const shown = useCallback((panel: HTMLElement | null) => panel?.scrollIntoView({ block: "start" }), []);
  return (
    <div className={styles.changed} ref={shown}>
      <Outcome tone="warn" text={t(`spool.now.${sentencesOf(to)}`)}>
        <p>{t("spool.changed_why")}</p>
        <Button size="large" tone="signal" onClick={onFollow}>
          {t(`spool.show.${sentencesOf(to)}`)}
        </Button>
      </Outcome>
    </div>
  );
}
