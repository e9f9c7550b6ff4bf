// The card about reclamos on the supervisor's page: work that was done and could not be registered, until somebody decides.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { listReclamos, type Reclamo } from "@/api/reclamos";
import { useWords } from "@/i18n";
import { useReadErrorText } from "@/live/hooks";
import { useWorker } from "@/session/session";
import { clockText, dayOf, useShopMinute } from "@/shop/clock";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { EmptyState } from "@/ui/EmptyState";
import { TitledCard } from "@/ui/TitledCard";
import { ReclamoDialog } from "./ReclamoDialog";
import styles from "./Reclamos.module.css";

const PENDING = ["supervision", "reclamos"];
/** Nothing happens to a spool when work on it is refused, so the stream does not report a new reclamo. */
const ASK_EVERY_MS = 10_000;

/** Shows nothing while none waits. */
export function ReclamosCard() {
  const t = useWords();
  const readError = useReadErrorText();
  const supervisor = useWorker();
  const [chosen, choose] = useState<string | null>(null);
  const pending = useQuery({
    queryKey: PENDING,
    queryFn: ({ signal }) => listReclamos("pendiente", undefined, signal),
    refetchInterval: ASK_EVERY_MS,
  });
  const { reclamos, total } = pending.data ?? { reclamos: [], total: 0 };
  const open = reclamos.find(({ id }) => id === chosen);
  if (!supervisor || (total === 0 && !pending.isError)) return null;
  return (
    <TitledCard title={t("reclamos.title")} badge={<Badge tone="warn">{total}</Badge>} accent="warn">
      {pending.isError ? <EmptyState text={readError} /> : <p>{t("reclamos.explain")}</p>}
      <ul className={styles.list}>
        {reclamos.map((reclamo) => (
          <Row key={reclamo.id} reclamo={reclamo} onOpen={() => choose(reclamo.id)} />
        ))}
      </ul>
      {open && <ReclamoDialog key={open.id} reclamo={open} supervisor={supervisor} onClose={() => choose(null)} onDecided={() => void pending.refetch()} />}
    </TitledCard>
  );
}

function Row({ reclamo, onOpen }: { reclamo: Reclamo; onOpen: () => void }) {
  const t = useWords();
  const today = dayOf(useShopMinute());
  return (
    <li data-reclamo={reclamo.id}>
      <Button className={styles.open} onClick={onOpen}>
        <strong>{reclamo.tag_spool}</strong>
        <span>{t("reclamos.by", { label: reclamo.worker, time: clockText(reclamo.recibido_en, today) })}</span>
      </Button>
    </li>
  );
}
