// One spool for the supervisor: its facts and progress, what the supervisor can do, and its history.
import { useState, type ReactNode } from "react";

import { RefusedError } from "@/api/http";
import type { SpoolCard, SupervisorAccion, Worker } from "@/api/types";
import { useWords } from "@/i18n";
import { useReadErrorText } from "@/live/hooks";
import { clockText, dayOf, dayText, useShopMinute } from "@/shop/clock";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { ButtonLink } from "@/ui/ButtonLink";
import { Card } from "@/ui/Card";
import { EmptyState } from "@/ui/EmptyState";
import { Loading } from "@/ui/Loading";
import { useStartAtTop } from "@/ui/useStartAtTop";
import { CorregirDialog } from "./CorregirDialog";
import { DesbloquearDialog } from "./DesbloquearDialog";
import { LiberarDialog, type HeldSpool } from "./LiberarDialog";
import { useSupervisorCard, useDiagnostic, useHistory } from "./reads";
import { Timeline } from "./Timeline";
import styles from "./SpoolPanel.module.css";

const ACTIONS: readonly SupervisorAccion[] = ["LIBERAR", "DESBLOQUEAR", "CORREGIR"];

/** What another feature shows about a spool. */
export type AboutSpool = (card: SpoolCard, supervisor: Worker) => ReactNode;

export interface SpoolPanelProps {
  tag: string;
  supervisor: Worker;
  about: AboutSpool | undefined;
}

export function SpoolPanel({ tag, supervisor, about }: SpoolPanelProps) {
  const t = useWords();
  const readError = useReadErrorText();
  const card = useSupervisorCard(tag, supervisor.id);
  const history = useHistory(tag);
  if (card.isPending) return <Loading label={t("app.loading")} />;
  if (!card.data) {
    return <EmptyState text={card.error instanceof RefusedError ? card.error.message : readError} />;
  }
  return (
    <div className={styles.panel}>
      <SpoolDetails card={card.data} supervisor={supervisor} />
      <div className={styles.beside}>
        {about?.(card.data, supervisor)}
        {history.data && <Timeline history={history.data} />}
      </div>
    </div>
  );
}

function SpoolDetails({ card, supervisor }: { card: SpoolCard; supervisor: Worker }) {
  const t = useWords();
  const now = useShopMinute();
  const heading = useStartAtTop();
  return (
    <Card as="section" aria-labelledby="spool" className={styles.facts}>
      <h2 id="spool" className={styles.tag} ref={heading} tabIndex={-1}>
        {card.tag_spool}
      </h2>
      <p className={styles.line}>
        <Badge tone="solid">{card.version_workflow}</Badge>
        {card.ot && <span>{card.ot}</span>}
        {card.nv && <span>{card.nv}</span>}
        {card.retirado && <Badge tone="warn">{t("spool.retired")}</Badge>}
      </p>
      <WorkflowReason tag={card.tag_spool} />
      <p className={styles.state}>{card.estado_detalle}</p>
      {card.fecha_ocupacion && (
        <p>
          <strong>{t("spool.held_by", { label: card.ocupado_por })}</strong>{" "}
          {t("spool.since", { since: clockText(card.fecha_ocupacion, dayOf(now)) })}
        </p>
      )}
      <ProgressList card={card} />
      {card.inconsistencias.length > 0 && (
        <div className={styles.inconsistent}>
          <strong>{t("spool.inconsistent")}</strong>
          <ul>
            {card.inconsistencias.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </div>
      )}
      <Actions card={card} supervisor={supervisor} />
      <Papers tag={card.tag_spool} />
    </Card>
  );
}

/** The ways to the spool's drawing and to its dossier. */
function Papers({ tag }: { tag: string }) {
  const t = useWords();
  return (
    <p className={styles.papers}>
      <ButtonLink to="/plano/$tag" params={{ tag }}>
        {t("drawing.open")}
      </ButtonLink>
      <ButtonLink to="/dossier" search={{ spool: tag }}>
        {t("dossier.title")}
      </ButtonLink>
    </p>
  );
}

/** Shows nothing when the server could not read the spool and only guessed its workflow. */
function WorkflowReason({ tag }: { tag: string }) {
  const { data } = useDiagnostic(tag);
  return data?.consistent !== undefined && data.consistent !== null && <p>{data.detection_logic}</p>;
}

function ProgressList({ card }: { card: SpoolCard }) {
  const t = useWords();
  const joints = card.version_workflow === "v4.0";
  const rows = [
    {
      operacion: "ARM" as const,
      estado: card.arm,
      joints: t("list.joints", { done: card.uniones_arm_completadas, total: card.total_uniones ?? 0 }),
      who: card.armador,
      day: card.fecha_armado,
    },
    {
      operacion: "SOLD" as const,
      estado: card.sold,
      joints: t("list.joints", { done: card.uniones_sold_completadas, total: card.uniones_sold_necesarias }),
      who: card.soldador,
      day: card.fecha_soldadura,
    },
  ];
  return (
    <dl className={styles.progress}>
      {rows.map((row) => (
        <div key={row.operacion} className={styles.operation}>
          <dt>{t(`operation.${row.operacion}`)}</dt>
          <dd>
            <strong>{t(`state.${row.estado}`)}</strong>
            {joints && <span>{row.joints}</span>}
            {row.who && <span>{row.who}</span>}
            {row.day && <span>{dayText(row.day)}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function heldNow({ tag_spool, ocupado_por, operacion_actual }: SpoolCard): HeldSpool | null {
  return ocupado_por && operacion_actual ? { tag_spool, ocupado_por, operacion: operacion_actual } : null;
}

function Actions({ card, supervisor }: { card: SpoolCard; supervisor: Worker }) {
  const t = useWords();
  const [chosen, choose] = useState<SupervisorAccion | null>(null);
  const close = (): void => choose(null);
  const offered = ACTIONS.filter((accion) => card.acciones.some((offer) => offer.accion === accion));
  const held = heldNow(card);
  return (
    <div className={styles.actions}>
      {offered.map((accion) => (
        <Button key={accion} size="large" onClick={() => choose(accion)}>
          {t(`action.${accion}`)}
        </Button>
      ))}
      {chosen === "LIBERAR" && held && (
        <LiberarDialog held={held} supervisor={supervisor} onClose={close} />
      )}
      {chosen === "DESBLOQUEAR" && <DesbloquearDialog spool={card} supervisor={supervisor} onClose={close} />}
      {chosen === "CORREGIR" && <CorregirDialog card={card} supervisor={supervisor} onClose={close} />}
    </div>
  );
}
