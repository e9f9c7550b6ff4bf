// The dialog of a procedure or a qualification: its fields, what the server did not accept, and the buttons.
import type { ReactNode } from "react";

import { useWords } from "@/i18n";
import { allShown } from "@/shop/fieldErrors";
import type { OfficeRequest } from "@/shop/useOfficeRequest";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import { Dialog } from "@/ui/Dialog";
import styles from "./Welding.module.css";

export interface RecordDialogProps {
  title: string;
  request: OfficeRequest;
  /** The names of the fields beside which a reason is shown. */
  fields: readonly string[];
  ready: boolean;
  /** Why it cannot be saved as it is. */
  warning: string | null;
  onSave: () => void;
  onClose: () => void;
  children: ReactNode;
}

export function RecordDialog({ title, request, fields, ready, warning, onSave, onClose, children }: RecordDialogProps) {
  const t = useWords();
  const { busy, problem, errors, pinPad } = request;
  const actions = (
    <>
      <Button size="large" onClick={onClose}>
        {t("app.cancel")}
      </Button>
      <Button tone="signal" size="large" disabled={busy || !ready || warning !== null} onClick={onSave}>
        {t("welding.save")}
      </Button>
    </>
  );
  return (
    <Dialog title={title} size="large" onClose={onClose} actions={actions}>
      <div className={styles.form}>
        {problem !== null && <Callout tone="bad">{allShown(errors, fields) ? t("welding.correct") : problem}</Callout>}
        {warning !== null && <Callout tone="warn">{warning}</Callout>}
        <p className={styles.hint}>{t("welding.blank")}</p>
        <div className={styles.fields}>{children}</div>
      </div>
      {pinPad}
    </Dialog>
  );
}
