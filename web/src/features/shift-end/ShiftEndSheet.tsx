// The sheet with the spools that a person still holds, and the answers: one tap each, or one for all.
import { useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";

import type { AskedSpool, Turno } from "@/api/turno";
import type { Worker } from "@/api/types";
import { useWords } from "@/i18n";
import { clockText } from "@/shop/clock";
import { OperationIcon } from "@/shop/OperationIcon";
import { useTaps } from "@/taps/hooks";
import { Button } from "@/ui/Button";
import { CheckIcon, ExitIcon, HandIcon, PauseIcon, PersonIcon } from "@/ui/icons";
import { Sheet } from "@/ui/Sheet";
import { hasTap, isWhole, type Moment } from "./question";
import styles from "./ShiftEnd.module.css";
import { useAnswers, type Answer } from "./useAnswers";
import { turnoKey } from "./useTurno";

/** The dialog in which the holder offers the spool to somebody else. */
export type HandOverDialog = (spool: AskedSpool, onClose: () => void) => ReactNode;

export interface ShiftEndSheetProps {
  worker: Worker;
  moment: Moment;
  shift: NonNullable<Turno["pregunta"]>;
  /** The day of the shop. */
  today: string;
  /** The spools without an answer. */
  open: readonly AskedSpool[];
  onFinish: (spool: AskedSpool) => void;
  onDismiss: () => void;
  onStay: () => void;
  handOver: HandOverDialog | undefined;
}

export function ShiftEndSheet({ worker, moment, shift, today, open, onFinish, onDismiss, onStay, handOver }: ShiftEndSheetProps) {
  const t = useWords();
  const cache = useQueryClient();
  const [offered, setOffered] = useState<AskedSpool | null>(null);
  const closeOffer = (): void => {
    setOffered(null);
    void cache.invalidateQueries({ queryKey: turnoKey(worker.id) }); // an offer is an answer
  };
  const { refusals, give } = useAnswers(worker);
  const [asked] = useState(open); // answered ones stay in their place: no row moves under a finger
  const rows = [...asked, ...open.filter(({ tag_spool }) => asked.every((one) => one.tag_spool !== tag_spool))];
  const pausable = open.filter(isWhole);
  const time = clockText(shift.termina, today);
  return (
    <Sheet title={t(`shift_end.title.${moment}`, { shift: shift.nombre, time })} onClose={moment === "exit" ? onStay : onDismiss}>
      <div className={styles.sheet} data-shift-end={moment}>
        <p className={styles.why}>{moment === "forgotten" ? t("shift_end.why_forgotten") : t("shift_end.why_ending")}</p>
        {rows.length > 1 && (
          <div className={styles.all}>
            <Button tone="signal" size="large" icon={<HandIcon />} disabled={open.length === 0} onClick={() => give(open, "SEGUIR")}>
              {t("shift_end.keep_all")}
            </Button>
            {rows.filter(isWhole).length > 1 && (
              <Button size="large" icon={<PauseIcon />} disabled={pausable.length === 0} onClick={() => give(pausable, "PAUSAR")}>
                {t("shift_end.pause_all")}
              </Button>
            )}
          </div>
        )}
        <ul className={styles.rows}>
          {rows.map((spool) => (
            <SpoolQuestion
              key={spool.tag_spool}
              spool={spool}
              today={today}
              worker={worker}
              isOpen={open.some(({ tag_spool }) => tag_spool === spool.tag_spool)}
              refusal={refusals[spool.tag_spool] ?? null}
              onAnswer={(answer) => give([spool], answer)}
              onFinish={() => onFinish(spool)}
              onHandOver={handOver && (() => setOffered(spool))}
            />
          ))}
        </ul>
        <div className={styles.close}>
          {moment === "exit" && (
            <Button size="large" onClick={onStay}>
              {t("shift_end.stay")}
            </Button>
          )}
          <Button size="large" icon={moment === "exit" ? <ExitIcon /> : undefined} onClick={onDismiss}>
            {moment === "exit" ? t("shift_end.leave") : t("shift_end.later")}
          </Button>
        </div>
      </div>
      {offered && handOver?.(offered, closeOffer)}
    </Sheet>
  );
}

interface SpoolQuestionProps {
  spool: AskedSpool;
  today: string;
  worker: Worker;
  isOpen: boolean;
  refusal: string | null;
  onAnswer: (answer: Answer) => void;
  onFinish: () => void;
  onHandOver: (() => void) | undefined;
}

function SpoolQuestion({ spool, today, worker, isOpen, refusal, onAnswer, onFinish, onHandOver }: SpoolQuestionProps) {
  const t = useWords();
  const { tag_spool: tag, operacion, desde } = spool;
  const waits = hasTap(tag, useTaps(), worker.id);
  return (
    <li className={styles.row} data-asked={tag} data-answered={!isOpen}>
      <p className={styles.spool}>
        <OperationIcon operacion={operacion} />
        <strong className={styles.tag}>{tag}</strong>
        <span className={styles.since}>{t("shift_end.since", { operation: t(`operation.${operacion}`), time: clockText(desde, today) })}</span>
      </p>
      {isOpen ? (
        <div className={styles.answers} role="group" aria-label={tag}>
          {isWhole(spool) ? (
            <>
              <Button icon={<PauseIcon />} onClick={() => onAnswer("PAUSAR")}>
                {t("action.PAUSAR")}
              </Button>
              <Button icon={<CheckIcon />} onClick={() => onAnswer("COMPLETAR")}>
                {t("action.COMPLETAR")}
              </Button>
            </>
          ) : (
            <Button icon={<CheckIcon />} onClick={onFinish}>
              {t("action.FINALIZAR")}
            </Button>
          )}
          {onHandOver && (
            <Button icon={<PersonIcon />} onClick={onHandOver}>
              {t("shift_end.hand_over")}
            </Button>
          )}
          <Button tone="signal" icon={<HandIcon />} onClick={() => onAnswer("SEGUIR")}>
            {t("shift_end.keep")}
          </Button>
        </div>
      ) : (
        <p className={styles.answered} role="status">
          <CheckIcon /> {waits ? t("shift_end.waiting") : t("shift_end.answered")}
        </p>
      )}
      {refusal && isOpen && (
        <p className={styles.refusal} role="alert">
          {refusal}
        </p>
      )}
    </li>
  );
}
