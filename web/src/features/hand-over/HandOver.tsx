// On the card of a spool that this worker holds: hand it over, or see to whom it is offered and take the offer back.
import { useState } from "react";

import type { Worker } from "@/api/types";
import { useWords } from "@/i18n";
import { useIsAway } from "@/live/hooks";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import { ExitIcon } from "@/ui/icons";
import { notifyPerson } from "@/ui/notices";
import styles from "./HandOver.module.css";
import { OfferDialog, type OfferedSpool } from "./OfferDialog";
import { useRelevoCalls, useRelevos } from "./useRelevos";

export interface HandOverProps {
  spool: OfferedSpool;
  worker: Worker;
  /** A tap on this spool waits for its answer. */
  busy: boolean;
}

export function HandOver({ spool, worker, busy }: HandOverProps) {
  const t = useWords();
  const away = useIsAway();
  const [asking, setAsking] = useState(false);
  const calls = useRelevoCalls(worker);
  const offered = useRelevos(worker).ofrecidos.find(({ tag_spool }) => tag_spool === spool.tag_spool);
  if (away) return null; // it is never queued without a connection

  async function withdraw(): Promise<void> {
    if (!offered) return;
    const { done, text } = await calls.answer("retirar", offered);
    notifyPerson(worker.id, done ? "good" : "bad", text);
  }
  return (
    <div className={styles.handOver}>
      {offered ? (
        <Callout tone="warn">
          <p>{t("relevo.offered_to", { to: offered.receptor ?? t("relevo.anybody") })}</p>
          <Button size="large" disabled={busy || calls.busy} onClick={() => void withdraw()}>
            {t("relevo.withdraw")}
          </Button>
        </Callout>
      ) : (
        <Button size="large" disabled={busy} icon={<ExitIcon />} onClick={() => setAsking(true)}>
          {t("relevo.give")}
        </Button>
      )}
      {asking && <OfferDialog spool={spool} worker={worker} onClose={() => setAsking(false)} />}
    </div>
  );
}
