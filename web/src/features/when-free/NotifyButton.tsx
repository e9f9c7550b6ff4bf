// The button "Avísame cuando quede libre" on a spool that another worker holds, and the button that cancels it.
import type { Operacion, Worker } from "@/api/types";
import { useWords } from "@/i18n";
import { awaitSpool, stopAwaiting, useAwaited } from "@/shop/awaited";
import { Button } from "@/ui/Button";
import { BellIcon, CrossIcon } from "@/ui/icons";
import styles from "./NotifyButton.module.css";

export function NotifyButton({ tag, operacion, worker }: { tag: string; operacion: Operacion; worker: Worker }) {
  const t = useWords();
  const on = useAwaited(worker.id).some((awaited) => awaited.tag === tag);
  if (!on) {
    return (
      <Button size="large" icon={<BellIcon size={32} />} onClick={() => awaitSpool(worker.id, { tag, operacion })}>
        {t("awaited.notify")}
      </Button>
    );
  }
  return (
    <div className={styles.on}>
      <p className={styles.promise} role="status">
        <BellIcon className={styles.bell} />
        {t("awaited.promise")}
      </p>
      <Button icon={<CrossIcon size={22} />} onClick={() => stopAwaiting(worker.id, tag)}>
        {t("awaited.forget")}
      </Button>
    </div>
  );
}
