// Why there is no button: who has the spool and what can be done instead, or what is missing.
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import type { Motivo, Operacion, SpoolCard, Worker } from "@/api/types";
import { LiberarDialog } from "@/features/supervision/LiberarDialog";
import { HeldPanel } from "@/features/when-free/HeldPanel";
import { NotifyButton } from "@/features/when-free/NotifyButton";
import { useWords } from "@/i18n";
import { OperationIcon } from "@/shop/OperationIcon";
import { whyOf, type Holder, type Standing } from "@/shop/standing";
import { Button } from "@/ui/Button";
import { Card } from "@/ui/Card";
import { WarnIcon } from "@/ui/icons";
import styles from "./InTheWay.module.css";
import { toSpool } from "./routes";

export interface InTheWayProps {
  card: SpoolCard;
  worker: Worker;
  operacion: Operacion;
  standing: Standing;
}

export function InTheWay({ card, worker, operacion, standing: { holder, motivo } }: InTheWayProps) {
  const offered = (accion: string): boolean => card.acciones.some((one) => one.accion === accion);
  const tag = card.tag_spool;
  return (
    <>
      {holder && (
        <HeldPanel holder={holder} worker={worker}>
          {holder.id === worker.id ? (
            <GoThere tag={tag} operacion={holder.operacion} />
          ) : (
            motivo === null && <NotifyButton tag={tag} operacion={operacion} worker={worker} />
          )}
          {offered("LIBERAR") && <Release tag={tag} holder={holder} supervisor={worker} />}
        </HeldPanel>
      )}
      {motivo && <Why motivo={motivo} tag={tag} unblock={offered("DESBLOQUEAR")} />}
    </>
  );
}

/** In the worker's own hands, for another operation. */
function GoThere({ tag, operacion }: { tag: string; operacion: Operacion | null }) {
  const t = useWords();
  const navigate = useNavigate();
  if (operacion === null) return null;
  return (
    <Button
      tone="signal"
      size="large"
      icon={<OperationIcon operacion={operacion} size={32} />}
      onClick={() => void navigate(toSpool(operacion, tag))}
    >
      {t("held.go_there", { operation: t(`operation.${operacion}`) })}
    </Button>
  );
}

function Release({ tag, holder, supervisor }: { tag: string; holder: Holder; supervisor: Worker }) {
  const t = useWords();
  const [asking, setAsking] = useState(false);
  if (holder.operacion === null) return null;
  const held = { tag_spool: tag, ocupado_por: holder.label, operacion: holder.operacion };
  return (
    <>
      <Button size="large" onClick={() => setAsking(true)}>
        {t("action.LIBERAR")}
      </Button>
      {asking && <LiberarDialog held={held} supervisor={supervisor} onClose={() => setAsking(false)} />}
    </>
  );
}

function Why({ motivo, tag, unblock }: { motivo: Motivo; tag: string; unblock: boolean }) {
  const t = useWords();
  const navigate = useNavigate();
  const why = whyOf(motivo);
  return (
    <Card as="section" accent="warn" className={styles.why} data-why={why ?? motivo.code}>
      <WarnIcon size={40} className={styles.icon} />
      <p className={styles.text}>
        {why ? t(`why.${why}`, { operation: t(`operation.${motivo.operacion}`) }) : motivo.detail}
      </p>
      {unblock && (
        <Button size="large" onClick={() => void navigate({ to: "/supervision", search: { ver: "spool", spool: tag } })}>
          {t("why.supervision")}
        </Button>
      )}
    </Card>
  );
}
