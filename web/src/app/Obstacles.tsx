// Why the screen shows no button: who holds the spool and what can be done instead, or which step is missing.
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import type { Motivo, Operacion, SpoolCard, Worker } from "@/api/types";
import { LiberarDialog } from "@/features/supervision/LiberarDialog";
import { HeldPanel } from "@/features/when-free/HeldPanel";
import { NotifyButton } from "@/features/when-free/NotifyButton";
import { useWords } from "@/i18n";
import { OperationIcon } from "@/shop/OperationIcon";
import { reasonKeyOf, type Holder, type SpoolAccess } from "@/shop/access";
import { Button } from "@/ui/Button";
import { Card } from "@/ui/Card";
import { WarnIcon } from "@/ui/icons";
import styles from "./Obstacles.module.css";
import { toSpool } from "./routes";

export interface ObstaclesProps {
  card: SpoolCard;
  worker: Worker;
  operacion: Operacion;
  access: SpoolAccess;
}

export function Obstacles({ card, worker, operacion, access: { holder, motivo } }: ObstaclesProps) {
  const offered = (accion: string): boolean => card.acciones.some((offer) => offer.accion === accion);
  const tag = card.tag_spool;
  return (
    <>
      {holder && (
        <HeldPanel holder={holder} worker={worker}>
          {holder.id === worker.id ? (
            <OpenOtherOperation tag={tag} operacion={holder.operacion} />
          ) : (
            motivo === null && <NotifyButton tag={tag} operacion={operacion} worker={worker} />
          )}
          {offered("LIBERAR") && <ReleaseButton tag={tag} holder={holder} supervisor={worker} />}
        </HeldPanel>
      )}
      {motivo && <ReasonCard motivo={motivo} tag={tag} unblock={offered("DESBLOQUEAR")} />}
    </>
  );
}

/** For a worker who holds the spool for another operation. */
function OpenOtherOperation({ tag, operacion }: { tag: string; operacion: Operacion | null }) {
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

function ReleaseButton({ tag, holder, supervisor }: { tag: string; holder: Holder; supervisor: Worker }) {
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

function ReasonCard({ motivo, tag, unblock }: { motivo: Motivo; tag: string; unblock: boolean }) {
  const t = useWords();
  const navigate = useNavigate();
  const reason = reasonKeyOf(motivo);
  return (
    <Card as="section" accent="warn" className={styles.why} data-why={reason ?? motivo.code}>
      <WarnIcon size={40} className={styles.icon} />
      <p className={styles.text}>
        {reason ? t(`why.${reason}`, { operation: t(`operation.${motivo.operacion}`) }) : motivo.detail}
      </p>
      {unblock && (
        <Button size="large" onClick={() => void navigate({ to: "/supervision", search: { ver: "spool", spool: tag } })}>
          {t("why.supervision")}
        </Button>
      )}
    </Card>
  );
}
