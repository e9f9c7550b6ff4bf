// The strip on the floor's screens that tells a worker of a spool that somebody hands over: accepted, declined or put off in one tap.
// One offer at a time.
import { useEffect, useState } from "react";

import type { Relevo } from "@/api/relevos";
import type { Worker } from "@/api/types";
import { useWords } from "@/i18n";
import { Button } from "@/ui/Button";
import { CheckIcon, CrossIcon } from "@/ui/icons";
import { notifyPerson } from "@/ui/notices";
import styles from "./HandOver.module.css";
import { isPersonal, offersToShow } from "./received";
import { useRelevoCalls, useRelevos } from "./useRelevos";

/** The buttons of the next offer come where those of the last one were: for this long a tap may still be meant for that one. */
const SETTLE_MS = 700;

/** Shows nothing while nothing is offered. */
export function ReceivedOffers({ worker }: { worker: Worker }) {
  const { recibidos } = useRelevos(worker);
  const [putOff, setPutOff] = useState<ReadonlySet<Relevo["id"]>>(new Set());
  const offers = offersToShow(recibidos, putOff);
  const [relevo] = offers;
  if (!relevo) return null;
  const later = (): void => setPutOff((before) => new Set([...before, relevo.id]));
  return <Offer key={relevo.id} relevo={relevo} worker={worker} more={offers.length - 1} onLater={later} />;
}

interface OfferProps {
  relevo: Relevo;
  worker: Worker;
  /** How many others wait. */
  more: number;
  /** The person does not want to see it now; somebody else may accept it. */
  onLater: () => void;
}

function Offer({ relevo, worker, more, onLater }: OfferProps) {
  const t = useWords();
  const { busy, answer } = useRelevoCalls(worker);
  const disabled = !useIsSettled() || busy;
  const decide = async (how: "aceptar" | "rechazar"): Promise<void> => {
    const { done, text } = await answer(how, relevo);
    notifyPerson(worker.id, done ? "good" : "bad", text);
  };
  return (
    <div className={styles.strip} role="status" data-relevo={relevo.tag_spool}>
      <p className={styles.sentence}>
        <strong>{relevo.tag_spool}</strong>{" "}
        {t("relevo.received", { from: relevo.de, operation: t(`operation.${relevo.operacion}`) })}
        {more > 0 && ` ${t("relevo.more", { count: more })}`}
      </p>
      <div className={styles.answers}>
        <Button tone="signal" size="large" disabled={disabled} icon={<CheckIcon />} onClick={() => void decide("aceptar")}>
          {t("relevo.accept")}
        </Button>
        {isPersonal(relevo) ? (
          <Button size="large" disabled={disabled} icon={<CrossIcon />} onClick={() => void decide("rechazar")}>
            {t("relevo.decline")}
          </Button>
        ) : (
          <Button size="large" disabled={disabled} onClick={onLater}>
            {t("relevo.later")}
          </Button>
        )}
      </div>
    </div>
  );
}

/** Whether the offer has been shown for a moment. */
function useIsSettled(): boolean {
  const [settled, setSettled] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), SETTLE_MS);
    return () => clearTimeout(timer);
  }, []);
  return settled;
}
