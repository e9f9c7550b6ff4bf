// The strip that tells a worker that work of theirs waits for a supervisor; it opens the list of it.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { listReclamos, type Reclamo } from "@/api/reclamos";
import type { Worker } from "@/api/types";
import { useWords } from "@/i18n";
import { clockText, dayOf, useShopMinute } from "@/shop/clock";
import { inches } from "@/shop/progress";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { WarnIcon } from "@/ui/icons";
import { inchesOf } from "./decision";
import styles from "./Reclamos.module.css";
import { MY_RECLAMOS } from "./useReclamoNews";

const ASK_EVERY_MS = 60_000;

/** Shows nothing while none waits. */
export function MyReclamos({ worker }: { worker: Worker }) {
  const t = useWords();
  const [open, setOpen] = useState(false);
  const { data } = useQuery({
    queryKey: [MY_RECLAMOS, worker.id, "pendiente"],
    queryFn: ({ signal }) => listReclamos("pendiente", worker.id, signal),
    refetchInterval: ASK_EVERY_MS,
  });
  const own = data?.reclamos.filter(({ worker_id }) => worker_id === worker.id) ?? [];
  if (own.length === 0) return null;
  const close = (
    <Button size="large" onClick={() => setOpen(false)}>
      {t("app.close")}
    </Button>
  );
  return (
    <div role="status">
      <button type="button" className={styles.strip} onClick={() => setOpen(true)}>
        <WarnIcon />
        {t("reclamos.mine_pending", { count: own.length })}
      </button>
      {open && (
        <Dialog title={t("reclamos.mine")} size="large" onClose={() => setOpen(false)} actions={close}>
          <ul className={styles.list}>
            {own.map((reclamo) => (
              <OwnReclamo key={reclamo.id} reclamo={reclamo} />
            ))}
          </ul>
        </Dialog>
      )}
    </div>
  );
}

function OwnReclamo({ reclamo }: { reclamo: Reclamo }) {
  const t = useWords();
  const today = dayOf(useShopMinute());
  const joints = reclamo.trabajo.map(({ n_union }) => n_union).filter((n) => n !== null);
  return (
    <li className={styles.body} data-reclamo={reclamo.id}>
      <strong>{reclamo.tag_spool}</strong>
      <span>{t("reclamos.by", { label: reclamo.worker, time: clockText(reclamo.recibido_en, today) })}</span>
      {joints.length > 0 && <span>{t("reclamos.joints", { joints: joints.join(", "), inches: inches(inchesOf(reclamo.trabajo)) })}</span>}
      <span>{t("reclamos.refused", { detail: reclamo.detail })}</span>
    </li>
  );
}
