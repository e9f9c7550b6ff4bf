// The dialog of a supervisor's action. It needs a reason: picked from the usual ones, or typed, or both.
import { useId, useState, type ReactNode } from "react";

import type { SupervisorAccion } from "@/api/types";
import { useWords } from "@/i18n";
import { confirmPin } from "@/session/signIn";
import { PinAgain } from "@/shop/PinAgain";
import { taps, useTaps } from "@/taps/hooks";
import { Button } from "@/ui/Button";
import { classes } from "@/ui/classes";
import { Dialog } from "@/ui/Dialog";
import { Field } from "@/ui/Field";
import { motivo, REASONS, TYPED_CHARS_MAX, type Reason } from "./reasons";
import type { Supervise } from "./supervise";
import styles from "./ReasonDialog.module.css";

export interface ReasonDialogProps {
  accion: SupervisorAccion;
  tag: string;
  title: string;
  why: string;
  /** False while another choice of the dialog is missing. */
  ready?: boolean;
  supervise: Supervise;
  onConfirm: (motivo: string) => void;
  onClose: () => void;
  children?: ReactNode;
}

export function ReasonDialog({ accion, tag, title, why, ready = true, supervise, ...rest }: ReasonDialogProps) {
  const t = useWords();
  const [reason, setReason] = useState<Reason | null>(null);
  const [typed, setTyped] = useState("");
  const wholeReason = motivo(reason && t(`reason.${reason}`), typed);
  const actions = (
    <>
      <Button size="large" onClick={rest.onClose}>
        {t("app.cancel")}
      </Button>
      <Button
        tone="signal"
        size="large"
        disabled={!ready || wholeReason === "" || supervise.sending}
        onClick={() => rest.onConfirm(wholeReason)}
      >
        {supervise.sending ? t("list.sending") : t(`action.${accion}`)}
      </Button>
    </>
  );
  return (
    <Dialog title={title} size="large" onClose={rest.onClose} actions={actions}>
      <div className={styles.body}>
        <p>{why}</p>
        {rest.children}
        <Reasons of={REASONS[accion]} reason={reason} onReason={setReason} />
        <Field
          label={t("supervision.reason_typed")}
          value={typed}
          maxLength={TYPED_CHARS_MAX}
          onChange={(event) => setTyped(event.target.value)}
        />
        {supervise.refusal && (
          <p role="alert" className={styles.refusal}>
            {supervise.refusal}
          </p>
        )}
        <Unsent tag={tag} accion={accion} />
      </div>
    </Dialog>
  );
}

interface ReasonsProps {
  of: readonly Reason[];
  reason: Reason | null;
  onReason: (reason: Reason | null) => void;
}

function Reasons({ of: reasons, reason, onReason }: ReasonsProps) {
  const t = useWords();
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h3 id={id} className={styles.label}>
        {t("supervision.reason")}
      </h3>
      <div className={styles.reasons}>
        {reasons.map((option) => (
          <button
            key={option}
            type="button"
            aria-pressed={option === reason}
            className={classes(styles.reason, option === reason && styles.chosen)}
            onClick={() => onReason(option === reason ? null : option)}
          >
            {t(`reason.${option}`)}
          </button>
        ))}
      </div>
    </section>
  );
}

/** The server has not answered yet; the same key is sent again until it does, or until the supervisor drops the tap here. */
function Unsent({ tag, accion }: { tag: string; accion: SupervisorAccion }) {
  const t = useWords();
  const tap = useTaps().find(({ about }) => about.accion === accion && about.tags.includes(tag));
  // The server wants the supervisor's own PIN, of the last minutes. The same tap is then sent again.
  if (tap?.waits === "pin") {
    return <PinAgain what={t("unsent.what", { action: t(`action.${accion}`), tag })} onPin={confirmPin} onBack={() => taps.drop(tap.key)} />;
  }
  if (tap?.state !== "unsent") return null;
  return (
    <div role="status" className={styles.unsent}>
      <p>
        <strong>{t("list.unsent")}.</strong> {t("unsent.explain")}
      </p>
      <Button onClick={() => taps.retry(tap.key)}>{t("unsent.retry")}</Button>
      <Button onClick={() => taps.drop(tap.key)}>{t("unsent.drop")}</Button>
    </div>
  );
}
