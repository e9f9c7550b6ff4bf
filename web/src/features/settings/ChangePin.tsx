// A person changes their own PIN: the present one, then the new one twice. After it only they know it.
import { useState } from "react";

import { RefusedError } from "@/api/http";
import { postNewPin } from "@/api/sesion";
import { useWords } from "@/i18n";
import { notify } from "@/ui/notices";
import { PIN_DIGITS, PinPad } from "@/ui/PinPad";
import { Sheet } from "@/ui/Sheet";
import styles from "./Settings.module.css";

type Step = "present" | "chosen" | "again";

interface Progress {
  step: Step;
  present: string;
  chosen: string;
  problem: string | null;
  /** Counts the typed PINs: each begins with an empty pad. */
  typed: number;
}

export function ChangePin({ onClose }: { onClose: () => void }) {
  const t = useWords();
  const [busy, setBusy] = useState(false);
  const [progress, setProgress] = useState<Progress>({ step: "present", present: "", chosen: "", problem: null, typed: 0 });
  const { step, present, chosen, problem, typed } = progress;
  const goTo = (next: Partial<Progress>): void => setProgress({ ...progress, problem: null, typed: typed + 1, ...next });

  async function send(): Promise<void> {
    setBusy(true);
    try {
      await postNewPin(present, chosen);
      notify("good", t("change_pin.done"));
      onClose();
    } catch (error) {
      const refused = error instanceof RefusedError ? error.problem : null;
      const wrong = refused?.code === "PIN_INCORRECTO";
      const sentence = wrong ? t("pin.wrong") : (refused?.detail ?? t("app.unreachable"));
      goTo({ step: wrong || refused === null ? "present" : "chosen", problem: sentence });
    }
    setBusy(false);
  }

  const onPin = (pin: string): void => {
    if (step === "present") goTo({ step: "chosen", present: pin });
    else if (step === "chosen") goTo({ step: "again", chosen: pin });
    else if (pin === chosen) void send();
    else goTo({ step: "chosen", problem: t("setup.differ") });
  };
  return (
    <Sheet title={t("change_pin.title")} onClose={onClose}>
      <p className={styles.step}>{t(`change_pin.${step}`)}</p>
      <p className={styles.problem} role="alert">
        {problem}
      </p>
      <PinPad
        key={typed}
        disabled={busy}
        onPin={onPin}
        countLabel={(count) => t("pin.typed", { typed: count, digits: PIN_DIGITS })}
        deleteLabel={t("pin.delete")}
        back={{ label: t("app.back"), onBack: onClose }}
      />
    </Sheet>
  );
}
