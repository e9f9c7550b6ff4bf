// A supervisor asks for an examination of welded joints, or of a v3.0 spool as a whole.
import { useState } from "react";

import { solicitarNdt } from "@/api/ndt";
import type { SpoolCard, Worker } from "@/api/types";
import { useWords } from "@/i18n";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import { Choice } from "@/ui/Choice";
import { Dialog } from "@/ui/Dialog";
import { Field } from "@/ui/Field";
import { Toggles } from "@/ui/Toggles";
import styles from "./Ndt.module.css";
import { useNdt } from "./useNdt";

const REASON_CHARS_MAX = 500;

export interface RequestDialogProps {
  card: SpoolCard;
  worker: Worker;
  methods: readonly string[];
  onClose: () => void;
}

export function RequestDialog({ card, worker, methods, onClose }: RequestDialogProps) {
  const t = useWords();
  const { send, sending, refusal } = useNdt(worker, onClose);
  const [metodo, setMetodo] = useState(methods.includes("RT") ? "RT" : (methods[0] ?? "VT"));
  const [unions, setUnions] = useState<string[]>([]);
  const [motivo, setMotivo] = useState("");
  const byJoint = card.version_workflow === "v4.0";
  const welded = card.uniones.filter((joint) => joint.sol_fecha_fin !== null);
  const ready = !sending && (!byJoint || unions.length > 0);
  const body = { tag_spool: card.tag_spool, supervisor_id: worker.id, metodo, unions: byJoint ? unions.map(Number) : [], motivo: motivo.trim() };
  return (
    <Dialog
      title={t("ndt.request_title", { tag: card.tag_spool })}
      size="large"
      onClose={onClose}
      actions={
        <>
          <Button size="large" onClick={onClose}>
            {t("app.cancel")}
          </Button>
          <Button tone="signal" size="large" disabled={!ready} onClick={() => send(solicitarNdt, body)}>
            {t("ndt.send")}
          </Button>
        </>
      }
    >
      <div className={styles.form}>
        <Choice label={t("ndt.method")} value={metodo} options={methods.map((value) => ({ value, label: value }))} onChange={setMetodo} />
        {byJoint && welded.length === 0 && <p>{t("ndt.no_joints")}</p>}
        {byJoint && welded.length > 0 && (
          <Toggles
            label={t("ndt.joints")}
            values={unions}
            options={welded.map(({ n_union }) => ({ value: String(n_union), label: t("ndt.joint", { n: n_union }) }))}
            onChange={setUnions}
          />
        )}
        <Field label={t("ndt.reason")} value={motivo} maxLength={REASON_CHARS_MAX} autoComplete="off" onChange={(event) => setMotivo(event.target.value)} />
        {refusal !== null && <Callout tone="bad">{refusal}</Callout>}
      </div>
    </Dialog>
  );
}
