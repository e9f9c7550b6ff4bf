// Which labels: those that nobody has printed yet, those of a work order, or a list that was pasted.
import { useId } from "react";

import { LABELS_MAX, type LabelsAnswer, type SpoolLabel } from "@/api/etiquetas";
import { useWords } from "@/i18n";
import { timestampText } from "@/shop/clock";
import { Badge } from "@/ui/Badge";
import { Callout } from "@/ui/Callout";
import { Choice } from "@/ui/Choice";
import { EmptyState } from "@/ui/EmptyState";
import { Select } from "@/ui/Select";
import { TitledCard } from "@/ui/TitledCard";
import styles from "./Labels.module.css";

export const WAYS = ["not_printed", "ot", "list"] as const;
export type Way = (typeof WAYS)[number];

/** What a person chose; each way keeps its own while another is looked at. */
export interface Chosen {
  way: Way;
  ot: string;
  list: string;
}

/** The rows that are shown; the rest are printed all the same. */
const SHOWN_MAX = 200;

interface SpoolChoiceProps {
  chosen: Chosen;
  onChange: (chosen: Chosen) => void;
  labels: LabelsAnswer | undefined;
}

export function SpoolChoice({ chosen, onChange, labels }: SpoolChoiceProps) {
  const t = useWords();
  return (
    <TitledCard title={t("labels.which")}>
      <Choice
        label={t("labels.choose_by")}
        value={chosen.way}
        options={WAYS.map((value) => ({ value, label: t(`labels.ways.${value}`) }))}
        onChange={(way) => onChange({ ...chosen, way })}
      />
      {chosen.way === "ot" && <WorkOrders chosen={chosen} onChange={onChange} labels={labels} />}
      {chosen.way === "list" ? <PastedList list={chosen.list} onChange={(list) => onChange({ ...chosen, list })} /> : <Found labels={labels} way={chosen.way} />}
    </TitledCard>
  );
}

function WorkOrders({ chosen, onChange, labels }: SpoolChoiceProps) {
  const t = useWords();
  const options = (labels?.ots ?? []).map(({ ot, spools, sin_imprimir }) => ({
    value: ot,
    label: t("labels.work_order", { ot, spools, left: sin_imprimir }),
  }));
  return (
    <Select
      label={t("labels.ot")}
      value={chosen.ot}
      options={[{ value: "", label: t("labels.choose_ot") }, ...options]}
      onChange={(ot) => onChange({ ...chosen, ot })}
    />
  );
}

function PastedList({ list, onChange }: { list: string; onChange: (list: string) => void }) {
  const t = useWords();
  const id = useId();
  return (
    <div className={styles.list}>
      <label htmlFor={id} className={styles.listLabel}>
        {t("labels.list")}
      </label>
      <textarea id={id} className={styles.listText} rows={8} spellCheck={false} value={list} onChange={(event) => onChange(event.target.value)} />
    </div>
  );
}

function Found({ labels, way }: { labels: LabelsAnswer | undefined; way: Exclude<Way, "list"> }) {
  const t = useWords();
  if (!labels) return null;
  const { etiquetas, total } = labels;
  if (etiquetas.length === 0) return <EmptyState text={t(`labels.none.${way}`)} />;
  return (
    <>
      {total > etiquetas.length && <Callout tone="warn">{t("labels.too_many", { max: LABELS_MAX, total })}</Callout>}
      <ul className={styles.found} aria-label={t("labels.which")} tabIndex={0}>
        {etiquetas.slice(0, SHOWN_MAX).map((label) => (
          <Row key={label.tag_spool} label={label} />
        ))}
      </ul>
      {etiquetas.length > SHOWN_MAX && <p className={styles.hint}>{t("labels.and_more", { count: etiquetas.length - SHOWN_MAX })}</p>}
    </>
  );
}

function Row({ label: { tag_spool, ot, uniones, impresa_en } }: { label: SpoolLabel }) {
  const t = useWords();
  return (
    <li className={styles.row}>
      <strong className={styles.tag}>{tag_spool}</strong>
      <span className={styles.facts}>
        {[ot, uniones ? t("labels.joints", { count: uniones }) : null].filter((fact) => fact !== null && fact !== "").join(" · ")}
      </span>
      {impresa_en !== null && <Badge tone="good">{t("labels.printed_at", { at: timestampText(impresa_en) })}</Badge>}
    </li>
  );
}
