// The dialog that reopens work completed by mistake: a whole operation (v3.0), or the joints that are unticked (v4.0).
import { useState } from "react";

import { corregir, type CorregirBody } from "@/api/corregir";
import type { Joint, SpoolCard, Worker } from "@/api/types";
import { useWords } from "@/i18n";
import { classes } from "@/ui/classes";
import { Choice } from "@/ui/Choice";
import { byJoint, doneJoints, reopenable, type Reopenable } from "./corrections";
import { ReasonDialog } from "./ReasonDialog";
import { useSupervise } from "./supervise";
import styles from "./CorregirDialog.module.css";

interface CorregirDialogProps {
  card: SpoolCard;
  supervisor: Worker;
  onClose: () => void;
}

export function CorregirDialog({ card, supervisor, onClose }: CorregirDialogProps) {
  const t = useWords();
  const supervise = useSupervise(onClose);
  const operations = reopenable(card);
  const [operacion, setOperacion] = useState<Reopenable>(operations.at(-1) ?? "ARM");
  const [reopened, setReopened] = useState<readonly number[]>([]);
  const joints = byJoint(card, operacion);
  const { tag_spool } = card;
  const confirm = (motivo: string): void => {
    const body: CorregirBody = { tag_spool, supervisor_id: supervisor.id, motivo, operacion };
    supervise.send(
      corregir,
      joints ? { ...body, unions: [...reopened] } : body,
      { accion: "CORREGIR", operacion, worker: supervisor.label },
    );
  };
  const choose = (chosen: Reopenable): void => {
    setOperacion(chosen);
    setReopened([]);
  };
  return (
    <ReasonDialog
      accion="CORREGIR"
      tag={tag_spool}
      title={t("supervision.ask_correct", { tag: tag_spool })}
      why={t("supervision.correct_why")}
      ready={!joints || reopened.length > 0}
      supervise={supervise}
      onConfirm={confirm}
      onClose={onClose}
    >
      <Choice
        label={t("supervision.reopen_what")}
        value={operacion}
        options={operations.map((value) => ({ value, label: t(`operation.${value}`) }))}
        onChange={choose}
      />
      {joints && (
        <Joints joints={doneJoints(card, operacion)} operacion={operacion} reopened={reopened} onChange={setReopened} />
      )}
    </ReasonDialog>
  );
}

interface JointsProps {
  joints: readonly Joint[];
  operacion: Reopenable;
  reopened: readonly number[];
  onChange: (reopened: readonly number[]) => void;
}

function Joints({ joints, operacion, reopened, onChange }: JointsProps) {
  const t = useWords();
  const toggle = (n: number): void =>
    onChange(reopened.includes(n) ? reopened.filter((other) => other !== n) : [...reopened, n]);
  return (
    <fieldset className={styles.joints}>
      <legend className={styles.legend}>
        {t("supervision.untick")} <strong>{t("supervision.reopens", { count: reopened.length })}</strong>
      </legend>
      {joints.map((joint) => {
        const open = reopened.includes(joint.n_union);
        const who = operacion === "ARM" ? joint.arm_worker : joint.sol_worker;
        return (
          <label key={joint.n_union} className={classes(styles.joint, open && styles.open)} data-target>
            <input
              type="checkbox"
              className={styles.box}
              data-in-target
              checked={!open}
              onChange={() => toggle(joint.n_union)}
            />
            <strong className={styles.number}>{joint.n_union}</strong>
            <span>
              {joint.dn_union ?? t("joints.unknown")}″ {joint.tipo_union} · {who}
            </span>
            {open && <strong className={styles.word}>{t("supervision.reopened")}</strong>}
          </label>
        );
      })}
    </fieldset>
  );
}
