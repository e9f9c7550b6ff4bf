// The inspection: two large buttons. A rejection has to be confirmed, because the third one blocks the spool.
import { useState } from "react";

import type { Resultado } from "@/api/inspeccionar";
import { useWords } from "@/i18n";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { CameraIcon, CheckIcon, CrossIcon } from "@/ui/icons";
import { NoticeSlot } from "@/ui/notices";
import styles from "./Inspect.module.css";

const REJECTIONS_MAX = 3;

export interface InspectProps {
  tag: string;
  ciclo: number;
  busy: boolean;
  /** False while examinations are open: then the spool can only be rejected. */
  mayApprove: boolean;
  onResult: (resultado: Resultado) => void;
  /** Given where the shop asks for a photo of the defect: opens the notes. */
  onPhoto?: () => void;
}

export function Inspect({ tag, ciclo, busy, mayApprove, onResult, onPhoto }: InspectProps) {
  const t = useWords();
  const [asking, setAsking] = useState(false);
  const last = ciclo + 1 >= REJECTIONS_MAX;
  return (
    <>
      <div className={styles.verdicts}>
        <Button tone="good" className={styles.verdict} disabled={busy || !mayApprove} onClick={() => onResult("APROBADO")}>
          <CheckIcon size={64} strokeWidth={3.5} />
          {t("action.APROBAR")}
        </Button>
        <Button tone="bad" className={styles.verdict} disabled={busy} onClick={() => setAsking(true)}>
          <CrossIcon size={64} strokeWidth={3.5} />
          {t("action.RECHAZAR")}
        </Button>
      </div>
      <div className={styles.notices}>
        <NoticeSlot />
      </div>
      {asking && (
        <Dialog
          title={t("ask.reject", { tag })}
          onClose={() => setAsking(false)}
          actions={
            <>
              <Button size="large" onClick={() => setAsking(false)}>
                {t("app.cancel")}
              </Button>
              <Button
                tone="bad"
                size="large"
                onClick={() => {
                  setAsking(false);
                  onResult("RECHAZADO");
                }}
              >
                {t("action.RECHAZAR")}
              </Button>
            </>
          }
        >
          <p>{last ? t("ask.reject_last") : t("ask.reject_why")}</p>
          {onPhoto && (
            <>
              <p>{t("notes.reject_why")}</p>
              <Button size="large" wide icon={<CameraIcon />} onClick={onPhoto}>
                {t("notes.reject_photo")}
              </Button>
            </>
          )}
        </Dialog>
      )}
    </>
  );
}
