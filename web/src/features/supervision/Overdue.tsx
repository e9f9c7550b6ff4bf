// What is overdue now, by kind, longest first, each with what to do. Nothing is released by itself.
import { useState } from "react";

import type { OverdueRow, TipoAtraso } from "@/api/atrasos";
import type { Worker } from "@/api/types";
import { useWords } from "@/i18n";
import { OperationIcon } from "@/shop/OperationIcon";
import { OverdueBadge } from "@/shop/OverdueBadge";
import { Button } from "@/ui/Button";
import { Card } from "@/ui/Card";
import { EmptyState } from "@/ui/EmptyState";
import { LiberarDialog, type HeldSpool } from "./LiberarDialog";
import { ReadState } from "./ReadState";
import { SpoolLink } from "./SpoolLink";
import { useOverdue } from "./reads";
import styles from "./Now.module.css";

const KINDS = ["OCUPADO", "PAUSADO", "EN_COLA"] as const satisfies readonly TipoAtraso[];

export function Overdue({ supervisor }: { supervisor: Worker }) {
  const t = useWords();
  const overdue = useOverdue();
  const [chosen, choose] = useState<HeldSpool | null>(null);
  const totals = overdue.data?.totales;
  const total = totals && totals.OCUPADO + totals.PAUSADO + totals.EN_COLA;
  return (
    <Card as="section" aria-labelledby="overdue" accent={total ? "bad" : undefined}>
      <h2 id="overdue" className={styles.title}>
        {t("overdue.title")} <span className={styles.count}>{total ?? "–"}</span>
      </h2>
      <ReadState of={overdue} />
      {total === 0 && <EmptyState text={t("overdue.none")} />}
      {KINDS.filter((kind) => totals?.[kind]).map((kind) => (
        <Kind
          key={kind}
          kind={kind}
          rows={overdue.data?.atrasos.filter(({ atraso }) => atraso.tipo === kind) ?? []}
          total={totals?.[kind] ?? 0}
          onRelease={choose}
        />
      ))}
      {chosen && <LiberarDialog held={chosen} supervisor={supervisor} onClose={() => choose(null)} />}
    </Card>
  );
}

interface KindProps {
  kind: TipoAtraso;
  rows: readonly OverdueRow[];
  total: number;
  onRelease: (held: HeldSpool) => void;
}

function Kind({ kind, rows, total, onRelease }: KindProps) {
  const t = useWords();
  return (
    <section aria-labelledby={`overdue-${kind}`} className={styles.kind}>
      <h3 id={`overdue-${kind}`} className={styles.kindTitle}>
        {t(`overdue.group.${kind}`)} <span className={styles.count}>{total}</span>
      </h3>
      <ul>
        {rows.map((row) => (
          <Row key={row.tag_spool} row={row} onRelease={onRelease} />
        ))}
      </ul>
      {total > rows.length && <p>{t("overdue.more", { count: total - rows.length })}</p>}
    </section>
  );
}

function Row({ row, onRelease }: { row: OverdueRow; onRelease: (held: HeldSpool) => void }) {
  const t = useWords();
  const { tag_spool, ocupado_por, atraso } = row;
  const { tipo, operacion, limite } = atraso;
  return (
    <li className={styles.row} data-overdue={tag_spool}>
      <div className={styles.facts}>
        <SpoolLink tag={tag_spool} />
        <p className={styles.details}>
          <OverdueBadge atraso={atraso} />
          {ocupado_por !== null && <strong>{ocupado_por}</strong>}
          <span className={styles.operation}>
            <OperationIcon operacion={operacion} size={22} />
            {t(`operation.${operacion}`)}
          </span>
          <span>{t("overdue.limit", { hours: limite })}</span>
        </p>
        <p>{t(`overdue.what.${tipo}`, { label: ocupado_por ?? "" })}</p>
      </div>
      {ocupado_por !== null && (
        <Button
          onClick={() => onRelease({ tag_spool, ocupado_por, operacion })}
          aria-label={`${t("supervision.free")} ${tag_spool}`}
        >
          {t("supervision.free")}
        </Button>
      )}
    </li>
  );
}
