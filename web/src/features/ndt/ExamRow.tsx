// One examination: what of which spool, by which method, how it stands, and what this person can do about it.
import { useState } from "react";

import { repararUnion, type Exam } from "@/api/ndt";
import type { Worker } from "@/api/types";
import { useWords } from "@/i18n";
import { dayText } from "@/shop/clock";
import { PhotoRow } from "@/shop/PhotoRow";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import { Dialog } from "@/ui/Dialog";
import styles from "./Ndt.module.css";
import { ResultDialog } from "./ResultDialog";
import { mayExamine, mayRepair } from "./roles";
import { useNdt } from "./useNdt";

const TONES = { PENDIENTE: "signal", APROBADO: "good", RECHAZADO: "bad", ANULADO: "plain" } as const;

export interface ExamRowProps {
  exam: Exam;
  worker: Worker;
  defects: readonly string[];
  /** On a spool's own screen its tag need not be said. */
  withTag?: boolean;
}

export function ExamRow({ exam, worker, defects, withTag = true }: ExamRowProps) {
  const t = useWords();
  const [open, setOpen] = useState<"result" | "repair" | null>(null);
  const close = (): void => setOpen(null);
  const what = exam.n_union === null ? t("ndt.whole_spool") : t("ndt.joint", { n: exam.n_union });
  const waits = exam.estado === "PENDIENTE";
  const toRepair = exam.estado === "RECHAZADO" && exam.vigente && !exam.reparado;
  return (
    <li className={styles.row} data-exam={exam.id} data-estado={exam.estado}>
      <p className={styles.what}>
        <strong>{exam.metodo}</strong>
        {withTag && <span className={styles.tag}>{exam.tag_spool}</span>}
        <span>{what}</span>
        <Badge tone={TONES[exam.estado]}>{t(`ndt.status.${exam.estado}`)}</Badge>
      </p>
      <Facts exam={exam} />
      {exam.fotos.length > 0 && <PhotoRow photos={exam.fotos} />}
      {waits && mayExamine(worker) && (
        <Button size="large" tone="signal" onClick={() => setOpen("result")}>
          {t("ndt.record")}
        </Button>
      )}
      {toRepair && mayRepair(worker) && (
        <Button size="large" tone="signal" onClick={() => setOpen("repair")}>
          {t("ndt.repair")}
        </Button>
      )}
      {open === "result" && <ResultDialog exam={exam} what={what} worker={worker} codes={defects} onClose={close} />}
      {open === "repair" && <RepairDialog exam={exam} worker={worker} onClose={close} />}
    </li>
  );
}

function Facts({ exam }: { exam: Exam }) {
  const t = useWords();
  const facts = [
    exam.soldador && t("ndt.welder", { label: exam.soldador }),
    exam.ot,
    exam.ronda > 0 ? t("ndt.round", { n: exam.ronda }) : t(`ndt.origin.${exam.origen}`),
    exam.informe !== null && t("ndt.report_of", { informe: exam.informe }),
    exam.fecha !== null && dayText(exam.fecha),
    exam.examinador,
    ...exam.defectos,
    exam.reparado_por !== null && t("ndt.repaired_by", { label: exam.reparado_por }),
    !exam.vigente && exam.estado !== "ANULADO" && t("ndt.old"),
  ];
  return (
    <p className={styles.facts}>
      {facts
        .filter((fact) => fact)
        .map((fact, index) => (
          <span key={index}>{fact}</span>
        ))}
    </p>
  );
}

interface RepairDialogProps {
  exam: Exam;
  worker: Worker;
  onClose: () => void;
}

function RepairDialog({ exam, worker, onClose }: RepairDialogProps) {
  const t = useWords();
  const { send, sending, refusal } = useNdt(worker, onClose);
  const { tag_spool, n_union } = exam;
  return (
    <Dialog
      title={n_union === null ? t("ndt.repair_title.whole_spool", { tag: tag_spool }) : t("ndt.repair_title.joint", { n: n_union, tag: tag_spool })}
      onClose={onClose}
      actions={
        <>
          <Button size="large" onClick={onClose}>
            {t("app.cancel")}
          </Button>
          <Button tone="signal" size="large" disabled={sending} onClick={() => send(repararUnion, { tag_spool, worker_id: worker.id, n_union })}>
            {t("ndt.repair")}
          </Button>
        </>
      }
    >
      <p>{t("ndt.repair_why")}</p>
      {refusal !== null && <Callout tone="bad">{refusal}</Callout>}
    </Dialog>
  );
}
