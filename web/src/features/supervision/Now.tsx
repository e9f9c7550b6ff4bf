// What is stuck now: overdue spools, blocked spools, and spools that a worker has held for long.
import { useState, type ReactNode } from "react";

import type { Occupied } from "@/api/occupied";
import type { Spool, Worker } from "@/api/types";
import { useWords } from "@/i18n";
import { ageOf } from "@/shop/age";
import { clockText, dayOf, useShopMinute } from "@/shop/clock";
import { OperationIcon } from "@/shop/OperationIcon";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Card } from "@/ui/Card";
import { Choice } from "@/ui/Choice";
import { EmptyState } from "@/ui/EmptyState";
import { AgeBadge } from "./AgeBadge";
import { LiberarDialog } from "./LiberarDialog";
import { DesbloquearDialog } from "./DesbloquearDialog";
import { Overdue } from "./Overdue";
import { ReadState } from "./ReadState";
import { SpoolLink } from "./SpoolLink";
import { useBlocked, useOccupied } from "./reads";
import styles from "./Now.module.css";

export function Now({ supervisor, status }: { supervisor: Worker; status: ReactNode }) {
  return (
    <div className={styles.now}>
      <div className={styles.main}>
        <Overdue supervisor={supervisor} />
        <LongHeldSpools supervisor={supervisor} />
      </div>
      <div className={styles.side}>
        <Blocked supervisor={supervisor} />
        {status}
      </div>
    </div>
  );
}

function Blocked({ supervisor }: { supervisor: Worker }) {
  const t = useWords();
  const blocked = useBlocked();
  const [chosen, choose] = useState<Spool | null>(null);
  const spools = blocked.data?.spools;
  return (
    <Card as="section" aria-labelledby="blocked" accent={spools?.length ? "bad" : undefined}>
      <h2 id="blocked" className={styles.title}>
        {t("supervision.blocked")} <span className={styles.count}>{blocked.data?.total ?? "–"}</span>
      </h2>
      <ReadState of={blocked} />
      {spools?.length === 0 && <EmptyState text={t("supervision.no_blocked")} />}
      <ul>
        {spools?.map((spool) => (
          <li key={spool.tag_spool} className={styles.row} data-tag={spool.tag_spool}>
            <div className={styles.facts}>
              <SpoolLink tag={spool.tag_spool} />
              <p className={styles.details}>
                <Badge tone="bad">{t("supervision.rejections", { n: spool.ciclo })}</Badge>
                {spool.soldador && <span>{t("supervision.welded_by", { label: spool.soldador })}</span>}
              </p>
            </div>
            <Button onClick={() => choose(spool)} aria-label={`${t("supervision.unblock")} ${spool.tag_spool}`}>
              {t("supervision.unblock")}
            </Button>
          </li>
        ))}
      </ul>
      {chosen && <DesbloquearDialog spool={chosen} supervisor={supervisor} onClose={() => choose(null)} />}
    </Card>
  );
}

type Which = "long" | "all";

function LongHeldSpools({ supervisor }: { supervisor: Worker }) {
  const t = useWords();
  const now = useShopMinute();
  const occupied = useOccupied();
  const [which, setWhich] = useState<Which>("long");
  const [chosen, choose] = useState<Occupied | null>(null);
  const all = occupied.data ?? [];
  const long = all.filter((row) => ageOf(row.since, now).level !== "fresh");
  const shown = which === "long" ? long : all;
  return (
    <Card as="section" aria-labelledby="held">
      <h2 id="held" className={styles.title}>
        {t("supervision.held")}
      </h2>
      <Choice
        label={t("supervision.which")}
        value={which}
        options={[
          { value: "long", label: t("supervision.long", { n: long.length }) },
          { value: "all", label: t("supervision.all", { n: all.length }) },
        ]}
        onChange={setWhich}
      />
      <ReadState of={occupied} />
      {occupied.data && shown.length === 0 && <EmptyState text={t("supervision.no_long")} />}
      <ul>
        {shown.map((row) => (
          <HeldRow key={row.tag_spool} row={row} onRelease={() => choose(row)} />
        ))}
      </ul>
      {chosen && <LiberarDialog held={chosen} supervisor={supervisor} onClose={() => choose(null)} />}
    </Card>
  );
}

function HeldRow({ row, onRelease }: { row: Occupied; onRelease: () => void }) {
  const t = useWords();
  const now = useShopMinute();
  return (
    <li className={styles.row} data-tag={row.tag_spool}>
      <div className={styles.facts}>
        <SpoolLink tag={row.tag_spool} />
        <p className={styles.details}>
          <AgeBadge age={ageOf(row.since, now)} />
          <strong>{row.ocupado_por}</strong>
          <span className={styles.operation}>
            <OperationIcon operacion={row.operacion} size={22} />
            {t(`operation.${row.operacion}`)}
          </span>
          <span>{t("spool.since", { since: clockText(row.since, dayOf(now)) })}</span>
        </p>
      </div>
      <Button onClick={onRelease} aria-label={`${t("supervision.free")} ${row.tag_spool}`}>
        {t("supervision.free")}
      </Button>
    </li>
  );
}
