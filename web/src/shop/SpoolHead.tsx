// The head of a spool's screen: workflow, orders, the holder and since when, and the progress.
import type { Operacion, SpoolCard, Worker } from "@/api/types";
import { useWords } from "@/i18n";
import { takenHereBy } from "@/taps/chain";
import { useTaps } from "@/taps/hooks";
import { Badge } from "@/ui/Badge";
import { OverdueBadge } from "./OverdueBadge";
import { ProgressFact, VersionBadge } from "./SpoolFacts";
import styles from "./SpoolHead.module.css";
import { clockText, dayOf, useShopMinute } from "./clock";

export function SpoolHead({ card, worker, operacion }: { card: SpoolCard; worker: Worker; operacion: Operacion }) {
  const t = useWords();
  const other = takenHereBy(useTaps(), card.tag_spool, worker.id);
  return (
    <div className={styles.head}>
      <p className={styles.line}>
        <VersionBadge spool={card} />
        {other !== null && card.ocupado_por === null ? <Badge tone="warn">{t("spool.free_unsent")}</Badge> : <HolderBadge card={card} worker={worker} />}
        {card.atraso && <OverdueBadge atraso={card.atraso} />}
        {card.retirado && <Badge tone="warn">{t("spool.retired")}</Badge>}
        <ProgressFact spool={card} operacion={operacion} />
      </p>
      {other !== null && <p className={styles.taken}>{t("spool.taken_here", { label: other })}</p>}
      <p className={styles.state}>{card.estado_detalle}</p>
      <p className={styles.orders}>
        {card.ot && <span>{withLetters("OT", card.ot)}</span>}
        {card.nv && <span>{withLetters("NV", card.nv)}</span>}
      </p>
      {card.inconsistencias.length > 0 && (
        <p className={styles.orders}>
          <Badge tone="warn">{t("spool.inconsistent")}</Badge> {card.inconsistencias.join(" ")}
        </p>
      )}
    </div>
  );
}

/** Some shops write the letters into the cell, some do not. */
const withLetters = (letters: string, value: string): string => (value.startsWith(letters) ? value : `${letters} ${value}`);

function HolderBadge({ card, worker }: { card: SpoolCard; worker: Worker }) {
  const t = useWords();
  const today = dayOf(useShopMinute());
  if (card.ocupado_por === null) return <Badge tone="good">{t("spool.free")}</Badge>;
  const since = card.fecha_ocupacion ? t("spool.since", { since: clockText(card.fecha_ocupacion, today) }) : "";
  const mine = card.ocupado_por_id === worker.id;
  const who = mine ? t("spool.held_by_you") : t("spool.held_by", { label: card.ocupado_por });
  return (
    <Badge tone={mine ? "signal" : "warn"}>
      {who} {since}
    </Badge>
  );
}
