// A spool's history: who held it, for how long, with which result, and what supervisors did and why.
import type { History, HistoryEvent, HistorySession } from "@/api/types";
import { useWords } from "@/i18n";
import { clockText, dayOf, useShopMinute } from "@/shop/clock";
import { PhotoRow } from "@/shop/PhotoRow";
import { decimal } from "@/shop/decimal";
import { Card } from "@/ui/Card";
import { classes } from "@/ui/classes";
import { factsOf, ranges, timeline } from "./history";
import styles from "./Timeline.module.css";

export function Timeline({ history }: { history: History }) {
  const t = useWords();
  const items = timeline(history);
  return (
    <Card as="section" aria-labelledby="history">
      <h2 id="history" className={styles.title}>
        {t("supervision.history")}
      </h2>
      {items.length === 0 && <p>{t("supervision.no_history")}</p>}
      <ol className={styles.timeline}>
        {items.map((item) =>
          item.kind === "session" ? (
            <Session key={`s${item.at}${item.session.worker}${item.session.operacion}`} session={item.session} joints={item.joints} />
          ) : (
            <EventItem key={item.event.seq} event={item.event} />
          ),
        )}
      </ol>
      <AllEvents events={history.events} />
    </Card>
  );
}

function Session({ session, joints }: { session: HistorySession; joints: number[] }) {
  const t = useWords();
  const today = dayOf(useShopMinute());
  const { operacion, worker, resultado, duracion, inicio, fin, pulgadas } = session;
  return (
    <li className={classes(styles.item, styles.session, fin === null && styles.open)} data-item="session">
      <p className={styles.when}>
        {clockText(inicio, today)} – {fin ? clockText(fin, today) : t("supervision.until_now")}
      </p>
      <p className={styles.what}>
        <strong>{worker}</strong> · {operacion ? t(`operation.${operacion}`) : "–"} · {resultText(t, resultado)}
      </p>
      <p className={styles.more}>
        <span>{duracion}</span>
        {joints.length > 0 && <span>{t("supervision.joints", { joints: ranges(joints) })}</span>}
        {pulgadas > 0 && <span>{decimal(pulgadas)}″</span>}
      </p>
    </li>
  );
}

const RESULTS = ["EN_PROGRESO", "PAUSADO", "COMPLETADO", "CANCELADO", "LIBERADO", "EDITADO", "REGISTRO_TARDIO", "RELEVO"] as const;
type Words = ReturnType<typeof useWords>;

/** A result that the catalogue does not have is shown as the server sent it. */
function resultText(t: Words, resultado: string): string {
  const known = RESULTS.find((result) => result === resultado);
  return known ? t(`supervision.result.${known}`) : resultado;
}

const EVENTS = [
  "METROLOGIA_AUTO_TRIGGERED",
  "METROLOGIA_APROBADO",
  "METROLOGIA_RECHAZADO",
  "SUPERVISOR_OVERRIDE",
  "LIBERAR_SPOOL",
  "CORRECCION",
  "EDICION_EXTERNA",
  "RECLAMO_RECHAZADO",
  "SIGUE_TURNO",
  "NOTA",
  "NDT_SOLICITADO",
  "NDT_APROBADO",
  "NDT_RECHAZADO",
  "NDT_ANULADO",
  "REPARACION_UNION",
] as const;
const EVENT_STYLES: Record<string, string | undefined> = {
  METROLOGIA_APROBADO: styles.good,
  METROLOGIA_RECHAZADO: styles.bad,
  NDT_APROBADO: styles.good,
  NDT_RECHAZADO: styles.bad,
  SUPERVISOR_OVERRIDE: styles.hand,
  LIBERAR_SPOOL: styles.hand,
  CORRECCION: styles.hand,
  RECLAMO_RECHAZADO: styles.hand,
};

function EventItem({ event }: { event: HistoryEvent }) {
  const t = useWords();
  const today = dayOf(useShopMinute());
  const { motivo, joints, edit, photos, exam } = factsOf(event);
  const known = EVENTS.find((tipo) => tipo === event.evento_tipo);
  return (
    <li className={classes(styles.item, EVENT_STYLES[event.evento_tipo])} data-item={event.evento_tipo}>
      <p className={styles.when}>{clockText(event.at, today)}</p>
      <p className={styles.what}>
        <strong>{known ? t(`supervision.event.${known}`) : event.evento_tipo}</strong>
        {event.worker && ` · ${event.worker}`}
        {exam && ` · ${exam}`}
        {known === "CORRECCION" && event.operacion && ` · ${t(`operation.${event.operacion}`)}`}
      </p>
      {(joints.length > 0 || edit) && (
        <p className={styles.more}>
          {joints.length > 0 && <span>{t("supervision.joints", { joints: ranges(joints) })}</span>}
          {edit && (
            <span>
              {edit.column}: {edit.was || "∅"} → {edit.now || "∅"}
            </span>
          )}
        </p>
      )}
      {motivo && <p className={styles.motivo}>«{motivo}»</p>}
      {photos.length > 0 && <PhotoRow photos={photos} />}
    </li>
  );
}

function AllEvents({ events }: { events: readonly HistoryEvent[] }) {
  const t = useWords();
  const today = dayOf(useShopMinute());
  return (
    <details className={styles.all}>
      <summary className={styles.summary}>{t("supervision.all_events", { n: events.length })}</summary>
      <div className={styles.scroll} tabIndex={0} role="region" aria-label={t("supervision.trail")}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">{t("supervision.col.at")}</th>
              <th scope="col">{t("supervision.col.event")}</th>
              <th scope="col">{t("supervision.col.worker")}</th>
              <th scope="col">{t("supervision.col.joint")}</th>
            </tr>
          </thead>
          <tbody>
            {events.map((event) => (
              <tr key={event.seq}>
                <td>{clockText(event.at, today)}</td>
                <td>{event.evento_tipo}</td>
                <td>{event.worker ?? "–"}</td>
                <td>{event.n_union ?? ""}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
