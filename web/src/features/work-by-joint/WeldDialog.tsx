// The one extra screen at FINALIZAR of SOLD: procedure and heats of the ticked joints, filled in as they were planned.
import { useState } from "react";

import type { Joint } from "@/api/types";
import { useWords } from "@/i18n";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Field } from "@/ui/Field";
import styles from "./WeldDialog.module.css";
import { changedWelds, plannedTexts, WELD_FIELDS, WELD_TEXT_MAX, type Weld, type WeldField, type WeldTexts } from "./welds";

export interface WeldDialogProps {
  joints: readonly Joint[];
  busy: boolean;
  onClose: () => void;
  onConfirm: (welds: Weld[]) => void;
}

export function WeldDialog({ joints, busy, onClose, onConfirm }: WeldDialogProps) {
  const t = useWords();
  const [texts, setTexts] = useState<ReadonlyMap<number, WeldTexts>>(
    () => new Map(joints.map((joint) => [joint.n_union, plannedTexts(joint)])),
  );
  const type = (n: number, field: WeldField, value: string): void =>
    setTexts((before) => {
      const typed = before.get(n);
      return typed ? new Map(before).set(n, { ...typed, [field]: value }) : before;
    });
  return (
    <Dialog
      title={t("welds.title")}
      size="large"
      onClose={onClose}
      actions={
        <>
          <Button size="large" onClick={onClose}>
            {t("app.cancel")}
          </Button>
          <Button tone="signal" size="large" disabled={busy} onClick={() => onConfirm(changedWelds(joints, texts))}>
            {t("action.FINALIZAR")}
          </Button>
        </>
      }
    >
      <ul className={styles.joints}>
        {joints.map((joint) => (
          <li key={joint.n_union} className={styles.joint}>
            <h3 className={styles.number}>{t("welds.joint", { n: joint.n_union })}</h3>
            {WELD_FIELDS.map((field) => (
              <Field
                key={field}
                label={t(`welds.${field}`)}
                value={texts.get(joint.n_union)?.[field] ?? ""}
                maxLength={WELD_TEXT_MAX}
                autoComplete="off"
                onChange={(event) => type(joint.n_union, field, event.target.value)}
              />
            ))}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
