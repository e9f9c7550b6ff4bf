// A supervisor decides about one reclamo: ticks the work that is right, the day it counts on, and the reason; or declines all of it.
import { useState } from "react";

import { RefusedError } from "@/api/http";
import { resolveReclamo, type ClaimedWork, type Decision, type DecisionAnswer, type Reclamo } from "@/api/reclamos";
import type { Worker } from "@/api/types";
import { useWords } from "@/i18n";
import { clockText, dayOf, isoInShop, useShopMinute } from "@/shop/clock";
import { inches } from "@/shop/progress";
import { useOfficeRequest } from "@/shop/useOfficeRequest";
import { newKey } from "@/taps/key";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import { classes } from "@/ui/classes";
import { Dialog } from "@/ui/Dialog";
import { Field } from "@/ui/Field";
import { CheckIcon } from "@/ui/icons";
import { notifyPerson } from "@/ui/notices";
import { acceptable, DecisionKeys, decisionOf, isOwn, nameOf, tappedAt } from "./decision";
import styles from "./Reclamos.module.css";

const REASON_CHARS_MAX = 500;

export interface ReclamoDialogProps {
  reclamo: Reclamo;
  supervisor: Worker;
  onClose: () => void;
  onDecided: () => void;
}

export function ReclamoDialog({ reclamo, supervisor, onClose, onDecided }: ReclamoDialogProps) {
  const t = useWords();
  const request = useOfficeRequest();
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const [day, setDay] = useState(() => dayOfWork(reclamo));
  const [reason, setReason] = useState("");
  const own = isOwn(reclamo, supervisor);
  const accepted = own ? [] : acceptable(reclamo, ticked);
  const ready = reason.trim() !== "" && day !== "" && !request.busy;

  const decide = (work: readonly ClaimedWork[]): void => {
    const decision = decisionOf(work, supervisor.id, day, reason);
    request.run(async () => {
      const answer = await send(reclamo.id, decision);
      const sentence =
        work.length === 0
          ? t("reclamos.declined", { label: reclamo.worker })
          : t("reclamos.accepted", { accepted: answer.aceptados, inches: inches(answer.pulgadas) });
      notifyPerson(supervisor.id, "good", sentence);
      onDecided();
      onClose();
    });
  };
  const actions = (
    <>
      <Button size="large" onClick={onClose}>
        {t("app.cancel")}
      </Button>
      <Button size="large" tone="bad" disabled={!ready} onClick={() => decide([])}>
        {t("reclamos.decline")}
      </Button>
      <Button size="large" tone="signal" disabled={!ready || accepted.length === 0} onClick={() => decide(accepted)}>
        {t("reclamos.accept", { count: accepted.length })}
      </Button>
    </>
  );
  return (
    <Dialog title={`${reclamo.tag_spool} · ${reclamo.worker}`} size="large" onClose={onClose} actions={actions}>
      <div className={styles.body}>
        <Facts reclamo={reclamo} />
        {own && <Callout tone="warn">{t("reclamos.own")}</Callout>}
        <ul className={styles.list}>
          {reclamo.trabajo.map((work) => (
            <WorkRow
              key={nameOf(work)}
              work={work}
              disabled={own || !work.aceptable}
              ticked={ticked.has(nameOf(work))}
              onToggle={() => setTicked(toggled(ticked, nameOf(work)))}
            />
          ))}
        </ul>
        <Field type="date" label={t("reclamos.day")} value={day} onChange={(event) => setDay(event.target.value)} />
        <Field
          label={t("reclamos.reason")}
          placeholder={t("reclamos.reason_hint")}
          value={reason}
          maxLength={REASON_CHARS_MAX}
          onChange={(event) => setReason(event.target.value)}
        />
        {request.problem && <Callout tone="bad">{request.problem}</Callout>}
        {request.pinPad}
      </div>
    </Dialog>
  );
}

/** For the whole page: the dialog may be closed and opened again after a lost answer. */
const decisionKeys = new DecisionKeys(newKey);

async function send(id: string, decision: Decision): Promise<DecisionAnswer> {
  try {
    const answer = await resolveReclamo(id, decision, decisionKeys.of(id, decision));
    decisionKeys.answered(id, decision);
    return answer;
  } catch (error) {
    if (error instanceof RefusedError && error.problem.code !== "PIN_REQUERIDO") decisionKeys.answered(id, decision);
    throw error;
  }
}

/** The day on which it was tapped, by the shop's clock; else the one on which it arrived. */
function dayOfWork(reclamo: Reclamo): string {
  const tapped = tappedAt(reclamo);
  return (tapped === null ? reclamo.recibido_en : isoInShop(Date.parse(tapped))).slice(0, 10);
}

function Facts({ reclamo }: { reclamo: Reclamo }) {
  const t = useWords();
  const today = dayOf(useShopMinute());
  const tapped = tappedAt(reclamo);
  return (
    <>
      <p>{t("reclamos.refused", { detail: reclamo.detail })}</p>
      <p className={styles.facts}>
        <span>{reclamo.ocupado_por === null ? t("reclamos.nobody") : t("reclamos.holder", { label: reclamo.ocupado_por })}</span>
        {tapped !== null && <span>{t("reclamos.tapped", { time: clockText(isoInShop(Date.parse(tapped)), today) })}</span>}
      </p>
    </>
  );
}

interface WorkRowProps {
  work: ClaimedWork;
  disabled: boolean;
  ticked: boolean;
  onToggle: () => void;
}

function WorkRow({ work, disabled, ticked, onToggle }: WorkRowProps) {
  const t = useWords();
  const operation = t(`operation.${work.operacion}`);
  const size = work.dn_union === null ? "–" : inches(work.dn_union);
  const on = ticked && !disabled;
  return (
    <li>
      <button
        type="button"
        className={classes(styles.work, on && styles.ticked)}
        data-work={nameOf(work)}
        aria-pressed={on}
        disabled={disabled}
        onClick={onToggle}
      >
        <span className={styles.box} aria-hidden="true">
          {on && <CheckIcon size={30} strokeWidth={4} />}
        </span>
        <span>
          {work.n_union === null ? t("reclamos.whole", { operation }) : t("reclamos.joint", { n: work.n_union, inches: size, operation })}
        </span>
        {work.motivo !== null && <span className={styles.why}>{work.motivo}</span>}
      </button>
    </li>
  );
}

function toggled(ticked: ReadonlySet<string>, name: string): Set<string> {
  const changed = new Set(ticked);
  if (!changed.delete(name)) changed.add(name);
  return changed;
}
