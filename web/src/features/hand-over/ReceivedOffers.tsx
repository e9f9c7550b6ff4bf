// The strip on the floor's screens that tells a worker of a spool that somebody hands over: accepted or declined in one tap. One
// offer at a time, the oldest first.
import type { Worker } from "@/api/types";
import { useWords } from "@/i18n";
import { Button } from "@/ui/Button";
import { CheckIcon, CrossIcon } from "@/ui/icons";
import { notify } from "@/ui/notices";
import styles from "./HandOver.module.css";
import { useRelevoCalls, useRelevos } from "./useRelevos";

/** Shows nothing while nothing is offered. */
export function ReceivedOffers({ worker }: { worker: Worker }) {
  const t = useWords();
  const { recibidos } = useRelevos(worker);
  const { busy, answer } = useRelevoCalls(worker);
  const [relevo] = recibidos;
  if (!relevo) return null;
  const decide = async (how: "aceptar" | "rechazar"): Promise<void> => {
    const { done, text } = await answer(how, relevo);
    notify(done ? "good" : "bad", text);
  };
  return (
    <div className={styles.strip} role="status" data-relevo={relevo.tag_spool}>
      <p className={styles.sentence}>
        <strong>{relevo.tag_spool}</strong>{" "}
        {t("relevo.received", { from: relevo.de, operation: t(`operation.${relevo.operacion}`) })}
        {recibidos.length > 1 && ` ${t("relevo.more", { count: recibidos.length - 1 })}`}
      </p>
      <div className={styles.answers}>
        <Button tone="signal" size="large" disabled={busy} icon={<CheckIcon />} onClick={() => void decide("aceptar")}>
          {t("relevo.accept")}
        </Button>
        {relevo.receptor_id !== null && (
          <Button size="large" disabled={busy} icon={<CrossIcon />} onClick={() => void decide("rechazar")}>
            {t("relevo.decline")}
          </Button>
        )}
      </div>
    </div>
  );
}
