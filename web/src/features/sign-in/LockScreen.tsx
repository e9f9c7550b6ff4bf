// The screen after some minutes without a touch: who is locked, and their PIN. What they had ticked stays under it. Anybody else
// signs in from here too; only then is it gone.
import { useState, type ReactNode } from "react";

import type { Worker } from "@/api/types";
import { useWords } from "@/i18n";
import type { LockReason } from "@/session/session";
import { unlock, unlocksWithoutPin } from "@/session/signIn";
import { PinEntry } from "@/shop/PinEntry";
import { Button } from "@/ui/Button";
import { Face } from "@/ui/Face";
import { Sheet } from "@/ui/Sheet";
import { LockIcon } from "@/ui/icons";
import { setClaim } from "./claim";
import styles from "./SignIn.module.css";
import { others, useRecentPeople } from "./useRecentPeople";

const FACES_MAX = 4;

interface LockScreenProps {
  worker: Worker;
  reason: LockReason;
  /** The list in which somebody else finds themself. */
  identify: (onChosen: (worker: Worker) => void) => ReactNode;
}

export function LockScreen({ worker, reason, identify }: LockScreenProps) {
  const t = useWords();
  const [other, setOther] = useState(false);
  const name = `${worker.nombre} ${worker.apellido}`;
  return (
    <Sheet title={other ? t("lock.other") : name}>
      {other ? (
        <div className={styles.people}>
          <div className={styles.back}>
            <Button size="large" onClick={() => setOther(false)}>
              {t("lock.back", { name })}
            </Button>
          </div>
          {identify((chosen) => (chosen.id === worker.id ? setOther(false) : setClaim({ worker: chosen })))}
        </div>
      ) : (
        <Locked worker={worker} reason={reason} onOther={() => setOther(true)} />
      )}
    </Sheet>
  );
}

function Locked({ worker, reason, onOther }: { worker: Worker; reason: LockReason; onOther: () => void }) {
  const t = useWords();
  const faces = others(useRecentPeople(true), worker).slice(0, FACES_MAX);
  return (
    <div className={styles.locked}>
      <Face label={worker.label} size="large" />
      <p className={styles.ask}>
        <LockIcon size={20} /> {t(unlocksWithoutPin() ? "lock.touch" : "lock.ask")}
      </p>
      {reason === "seal" && <p className={styles.why}>{t("lock.wrong_seal")}</p>}
      {unlocksWithoutPin() ? (
        <Button tone="signal" size="large" onClick={() => void unlock(null).catch(() => setClaim({ worker }))}>
          {t("lock.go_on", { label: worker.label })}
        </Button>
      ) : (
        <PinEntry onPin={unlock} />
      )}
      <div className={styles.others}>
        {faces.map((face) => (
          <button key={face.id} type="button" className={styles.other} onClick={() => setClaim({ worker: face })}>
            <Face label={face.label} />
            <span>
              {face.nombre} {face.apellido}
            </span>
          </button>
        ))}
        <Button onClick={onOther}>
          {t("lock.other")}
        </Button>
      </div>
    </div>
  );
}
