// A spool that cannot be taken because somebody has it: who, for what, since when, and what can be done instead.
import { useQuery } from "@tanstack/react-query";
import { useId, type ReactNode } from "react";

import type { Worker } from "@/api/types";
import { listWorkers } from "@/api/workers";
import { useWords } from "@/i18n";
import { ageOf } from "@/shop/age";
import { clockText, dayOf, useShopMinute } from "@/shop/clock";
import type { Holder } from "@/shop/standing";
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
  const name = useNameOf(holder);
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

/** People know each other by name; somebody who is no longer active has only the label. */
function useNameOf({ id, label }: Holder): string {
  const { data } = useQuery({ queryKey: ["workers"], queryFn: ({ signal }) => listWorkers(signal) });
  const found = data?.find((worker) => worker.id === id);
  return found ? `${found.nombre} ${found.apellido}` : label;
}
