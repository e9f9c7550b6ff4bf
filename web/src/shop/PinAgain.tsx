// The PIN again, before something that only its person may do: whose PIN, and for what.
import { useWords } from "@/i18n";
import { useWorker } from "@/session/session";
import { Sheet } from "@/ui/Sheet";
import styles from "./PinAgain.module.css";
import { PinEntry, type PinEntryProps } from "./PinEntry";

interface PinAgainProps extends Pick<PinEntryProps, "onPin"> {
  /** What is done with it, where it has a name. */
  what?: string;
  onBack: () => void;
}

export function PinAgain({ what, onPin, onBack }: PinAgainProps) {
  const t = useWords();
  const worker = useWorker();
  const name = worker ? `${worker.nombre} ${worker.apellido}` : "";
  return (
    <Sheet title={t("pin.step_up", { name })} onClose={onBack}>
      <p className={styles.why}>{what === undefined ? t("pin.step_up_why") : t("pin.step_up_for", { what })}</p>
      <PinEntry onPin={onPin} onBack={onBack} />
    </Sheet>
  );
}
