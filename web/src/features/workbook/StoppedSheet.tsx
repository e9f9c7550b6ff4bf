// A sheet that is frozen because too much changed in it at once: why, and the decisions. Each has to be confirmed, because each
// loses something.
import { useState } from "react";

import type { Worker } from "@/api/types";
import { decideFreeze, type Decision } from "@/api/sync-freeze";
import type { Frozen } from "@/api/sync-status";
import { useWords } from "@/i18n";
import { useAgo } from "@/shop/useAgo";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { useDecide } from "./decide";
import { decisionsFor } from "./statusText";
import styles from "./WorkbookCard.module.css";

export function StoppedSheet({ frozen, supervisor }: { frozen: Frozen; supervisor: Worker }) {
  const t = useWords();
  const ago = useAgo();
  const [question, ask] = useState<Question | null>(null);
  const { hoja, motivo, decision } = frozen;
  return (
    <section className={styles.stopped} aria-label={t("workbook.stopped", { hoja })} data-stopped={hoja}>
      <h3 className={styles.heading}>{t("workbook.stopped", { hoja })}</h3>
      <p>
        <strong>{motivo}</strong> · {ago(frozen.desde)}
      </p>
      <p>{decision ? t(`workbook.decided.${decision}`) : t(`workbook.way_on.${frozen.tipo}`)}</p>
      {!decision && (
        <div className={styles.ways}>
          {decisionsFor(frozen.tipo).map((offered) => (
            <Button
              key={offered}
              onClick={() => ask({ frozen, decision: offered })}
              aria-label={`${t(`workbook.decide.${offered}`)}: ${hoja}`}
            >
              {t(`workbook.decide.${offered}`)}
            </Button>
          ))}
        </div>
      )}
      {question && <DecideDialog {...question} supervisor={supervisor} onClose={() => ask(null)} />}
    </section>
  );
}

/** The freeze as it was when the button was pressed: the decision is about this one, whatever is read meanwhile. */
interface Question {
  frozen: Frozen;
  decision: Decision;
}

interface DecideDialogProps extends Question {
  supervisor: Worker;
  onClose: () => void;
}

function DecideDialog({ frozen, decision, supervisor, onClose }: DecideDialogProps) {
  const t = useWords();
  const { hoja, motivo, id } = frozen;
  const body = { supervisor_id: supervisor.id, hoja, detencion: id, decision };
  const decide = useDecide((key) => decideFreeze(body, key), onClose);
  const actions = (
    <>
      <Button size="large" onClick={onClose}>
        {t("app.cancel")}
      </Button>
      <Button tone="signal" size="large" disabled={decide.sending} onClick={decide.send}>
        {decide.sending ? t("list.sending") : t(`workbook.decide.${decision}`)}
      </Button>
    </>
  );
  return (
    <Dialog title={t(`workbook.ask.${decision}`, { hoja })} onClose={onClose} actions={actions}>
      <p>
        <strong>{motivo}.</strong> {t(`workbook.ask_why.${decision}`)}
      </p>
      {decide.refusal && (
        <p role="alert" className={styles.refusal}>
          {decide.refusal}
        </p>
      )}
    </Dialog>
  );
}
