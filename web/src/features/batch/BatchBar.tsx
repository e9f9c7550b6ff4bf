// The bar under the list while several spools are being chosen: how many, the actions, and then the outcome of each spool.
import { useState } from "react";

import type { BatchAnswer } from "@/api/types";
import { useWords } from "@/i18n";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { CheckIcon, CrossIcon, HandIcon, PauseIcon } from "@/ui/icons";
import styles from "./BatchBar.module.css";
import type { Batch } from "./useBatch";

export function BatchBar({ batch }: { batch: Batch }) {
  const t = useWords();
  const [asking, setAsking] = useState<"PAUSAR" | "COMPLETAR" | null>(null);
  const count = batch.chosen.size;
  if (batch.result) return <BatchResult result={batch.result} onClose={batch.stop} />;
  return (
    <div className={styles.bar}>
      <p className={styles.count} aria-live="polite">
        {t("batch.chosen", { count })}
      </p>
      <div className={styles.buttons}>
        <Button disabled={batch.busy} onClick={batch.stop}>
          {t("batch.stop")}
        </Button>
        {batch.mine && count > 0 ? (
          <>
            <Button disabled={batch.busy} icon={<PauseIcon />} onClick={() => setAsking("PAUSAR")}>
              {t("action.PAUSAR")}
            </Button>
            <Button tone="signal" disabled={batch.busy} icon={<CheckIcon />} onClick={() => setAsking("COMPLETAR")}>
              {t("action.COMPLETAR")}
            </Button>
          </>
        ) : (
          <Button
            tone="signal"
            disabled={batch.busy || count === 0}
            icon={<HandIcon />}
            onClick={() => void batch.perform("TOMAR")}
          >
            {t("action.TOMAR")}
          </Button>
        )}
      </div>
      {asking && (
        <Dialog
          title={asking === "PAUSAR" ? t("batch.ask_pause", { count }) : t("batch.ask_complete", { count })}
          onClose={() => setAsking(null)}
          actions={
            <>
              <Button size="large" onClick={() => setAsking(null)}>
                {t("app.cancel")}
              </Button>
              <Button
                tone="signal"
                size="large"
                onClick={() => {
                  setAsking(null);
                  void batch.perform(asking);
                }}
              >
                {t(`action.${asking}`)}
              </Button>
            </>
          }
        />
      )}
    </div>
  );
}

function BatchResult({ result, onClose }: { result: BatchAnswer; onClose: () => void }) {
  const t = useWords();
  const { succeeded, total } = result;
  return (
    <Dialog
      size="large"
      title={t("batch.result", { succeeded, total })}
      onClose={onClose}
      actions={
        <Button tone="signal" size="large" onClick={onClose}>
          {t("batch.done")}
        </Button>
      }
    >
      <ul className={styles.results} role="status">
        {result.details.map((detail) => (
          <li key={detail.tag_spool} className={detail.success ? styles.good : styles.bad} data-success={detail.success}>
            {detail.success ? <CheckIcon /> : <CrossIcon />}
            <span>
              <strong>{detail.tag_spool}</strong>
              <br />
              {detail.message ?? detail.error?.detail}
            </span>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
