// The panel on a spool that another worker holds: who, for which operation, since when, and what can be done instead.
import { useQuery } from "@tanstack/react-query";
import { useId, type ReactNode } from "react";

import type { Worker } from "@/api/types";
import { listWorkers } from "@/api/workers";
import { useWords } from "@/i18n";
import type { Holder } from "@/shop/access";
import { ageOf } from "@/shop/age";
import { clockText, dayOf, useShopMinute } from "@/shop/clock";
import { Badge } from "@/ui/Badge";
import { Card } from "@/ui/Card";
import { PersonIcon } from "@/ui/icons";
import styles from "./HeldPanel.module.css";

export interface HeldPanelProps {
  holder: Holder;
  worker: Worker;
  /** What can be done instead. */
  children?: ReactNode;
}

export function HeldPanel({ holder, worker, children }: HeldPanelProps) {
  const t = useWords();
  const id = useId();
  const name = useHolderName(holder);
  const mine = holder.id === worker.id;
  return (
    <Card as="section" accent={mine ? "signal" : "warn"} className={styles.panel} aria-labelledby={id}>
      <PersonIcon size={48} className={styles.icon} />
      <div className={styles.text}>
        <p className={styles.has}>{t("held.has_it")}</p>
        <h3 id={id} className={styles.name}>
          {mine ? t("held.you") : name}
        </h3>
        <p className={styles.line}>
          {name !== holder.label && <Badge>{holder.label}</Badge>}
          <Since holder={holder} />
        </p>
      </div>
      <div className={styles.instead}>{children}</div>
    </Card>
  );
}

function Since({ holder }: { holder: Holder }) {
  const t = useWords();
  const now = useShopMinute();
  const operation = holder.operacion && t(`operation.${holder.operacion}`);
  if (holder.since === null) return <span>{operation}</span>;
  const age = ageOf(holder.since, now);
  const since = clockText(holder.since, dayOf(now));
  return <span>{t("held.since", { operation, since, age: t(`age.${age.words}`, { ...age }) })}</span>;
}

/** The holder's full name; the label for a worker who is no longer active. */
function useHolderName({ id, label }: Holder): string {
  const { data } = useQuery({ queryKey: ["workers"], queryFn: ({ signal }) => listWorkers(signal) });
  const worker = data?.find((candidate) => candidate.id === id);
  return worker ? `${worker.nombre} ${worker.apellido}` : label;
}
