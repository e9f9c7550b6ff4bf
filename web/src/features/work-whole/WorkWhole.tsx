// The work on a spool as a whole (v3.0, and repairs in both workflows): TOMAR, PAUSAR, COMPLETAR, CANCELAR.
import { useState } from "react";

import { useWords } from "@/i18n";
import { ActionBar } from "@/ui/ActionBar";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { CheckIcon, HandIcon, PauseIcon, UndoIcon } from "@/ui/icons";
import styles from "./WorkWhole.module.css";

export interface WorkWholeProps {
  tag: string;
  may: "take" | "end";
  busy: boolean;
  onAct: (accion: "TOMAR" | "PAUSAR" | "COMPLETAR" | "CANCELAR") => void;
}

export function WorkWhole({ tag, may, busy, onAct }: WorkWholeProps) {
  const t = useWords();
  const [asking, setAsking] = useState<"PAUSAR" | "CANCELAR" | null>(null);
  if (may === "take") {
    return (
      <ActionBar>
        <Button tone="signal" size="large" wide disabled={busy} icon={<HandIcon size={36} />} onClick={() => onAct("TOMAR")}>
          {t("action.TOMAR")}
        </Button>
      </ActionBar>
    );
  }
  return (
    <ActionBar className={styles.actions}>
      <Button
        className={styles.first}
        tone="signal"
        size="large"
        disabled={busy}
        icon={<CheckIcon size={36} />}
        onClick={() => onAct("COMPLETAR")}
      >
        {t("action.COMPLETAR")}
      </Button>
      <Button size="large" disabled={busy} icon={<PauseIcon />} onClick={() => setAsking("PAUSAR")}>
        {t("action.PAUSAR")}
      </Button>
      <Button size="large" disabled={busy} icon={<UndoIcon />} onClick={() => setAsking("CANCELAR")}>
        {t("action.CANCELAR")}
      </Button>
      {asking && (
        <Confirm
          tag={tag}
          accion={asking}
          onNo={() => setAsking(null)}
          onYes={() => {
            setAsking(null);
            onAct(asking);
          }}
        />
      )}
    </ActionBar>
  );
}

interface ConfirmProps {
  tag: string;
  accion: "PAUSAR" | "CANCELAR";
  onNo: () => void;
  onYes: () => void;
}

function Confirm({ tag, accion, onNo, onYes }: ConfirmProps) {
  const t = useWords();
  const [title, why] =
    accion === "PAUSAR"
      ? [t("ask.pause", { tag }), t("ask.pause_why")]
      : [t("ask.cancel", { tag }), t("ask.cancel_why")];
  const answers = (
    <>
      <Button size="large" onClick={onNo}>
        {t("app.cancel")}
      </Button>
      <Button tone="signal" size="large" onClick={onYes}>
        {t(`action.${accion}`)}
      </Button>
    </>
  );
  return (
    <Dialog title={title} onClose={onNo} actions={answers}>
      {why}
    </Dialog>
  );
}
