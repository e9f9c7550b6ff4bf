// Mi día: what a person holds, what they did today and this week, what was rejected of their welds, what was decided.
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { getMyDay, type MyDayAnswer } from "@/api/mi-dia";
import type { Operacion } from "@/api/types";
import { useWords } from "@/i18n";
import { useReadErrorText } from "@/live/hooks";
import { ageOf } from "@/shop/age";
import { clockText, dayText, useShopMinute } from "@/shop/clock";
import { OperationIcon } from "@/shop/OperationIcon";
import { useReportPollInterval } from "@/shop/pollInterval";
import { inches } from "@/shop/progress";
import { Badge } from "@/ui/Badge";
import { EmptyState } from "@/ui/EmptyState";
import { Loading } from "@/ui/Loading";
import { NextIcon } from "@/ui/icons";
import { TitledCard } from "@/ui/TitledCard";
import styles from "./MyDay.module.css";

export interface MyDayProps {
  worker_id: number;
  /** Opens a spool that the person holds; missing: another person's day, which only shows. */
  onOpen?: ((operacion: Operacion, tag: string) => void) | undefined;
}

export function MyDay({ worker_id, onOpen }: MyDayProps) {
  const t = useWords();
  const readError = useReadErrorText();
  const { data, isError } = useQuery({
    queryKey: ["my-day", worker_id],
    queryFn: ({ signal }) => getMyDay(worker_id, signal),
    refetchInterval: useReportPollInterval(),
    staleTime: 0,
  });
  if (!data) return isError ? <EmptyState text={readError} /> : <Loading label={t("app.loading")} />;
  return (
    <div className={styles.cards}>
      <Held day={data} onOpen={onOpen} />
      <Done title={t("my_day.today")} rows={data.hoy} empty={t("my_day.nothing_today")}>
        <Spools day={data} />
      </Done>
      <Done title={t("my_day.week", { day: dayText(data.semana_desde).slice(0, 5) })} rows={data.semana} empty={t("my_day.nothing_week")} />
      <NotesToMe day={data} />
      <Rejections day={data} />
      <Decided day={data} />
    </div>
  );
}

function Held({ day, onOpen }: { day: MyDayAnswer; onOpen: MyDayProps["onOpen"] }) {
  const t = useWords();
  const now = useShopMinute();
  return (
    <TitledCard title={t("my_day.held")} badge={<Badge>{day.tengo_total}</Badge>} accent={day.tengo_total > 0 ? "signal" : undefined}>
      {day.tengo.length === 0 && <p className={styles.soft}>{t("my_day.nothing_held")}</p>}
      <ul className={styles.rows} aria-label={t("my_day.held")}>
        {day.tengo.map(({ tag_spool: tag, operacion, desde }) => {
          const age = ageOf(desde, now);
          const facts = (
            <>
              <OperationIcon operacion={operacion} />
              <strong className={styles.tag}>{tag}</strong>
              <span className={styles.soft}>
                {t(`operation.${operacion}`)} · {t("my_day.since", { time: clockText(desde, day.dia), age: t(`age.${age.words}`, { ...age }) })}
              </span>
            </>
          );
          return (
            <li key={tag} data-held={tag}>
              {onOpen ? (
                <button type="button" className={styles.open} onClick={() => onOpen(operacion, tag)}>
                  {facts}
                  <NextIcon className={styles.next} />
                </button>
              ) : (
                <p className={styles.row}>{facts}</p>
              )}
            </li>
          );
        })}
      </ul>
    </TitledCard>
  );
}

interface DoneProps {
  title: string;
  rows: MyDayAnswer["hoy"];
  empty: string;
  children?: ReactNode;
}

/** Inches count where joints are counted; a spool that is worked as a whole counts as a spool. */
function Done({ title, rows, empty, children }: DoneProps) {
  const t = useWords();
  return (
    <TitledCard title={title}>
      {rows.length === 0 && <p className={styles.soft}>{empty}</p>}
      <ul className={styles.figures} aria-label={title}>
        {rows.map(({ operacion, pulgadas, uniones, spools }) => (
          <li key={operacion} className={styles.figure} data-done={operacion}>
            <span className={styles.name}>
              <OperationIcon operacion={operacion} /> {t(`operation.${operacion}`)}
            </span>
            <span className={styles.number}>{uniones > 0 ? `${inches(pulgadas)}″` : spools}</span>
            <span className={styles.soft}>
              {uniones > 0 && `${t("my_day.joints", { count: uniones })} · `}
              {t("my_day.spools", { count: spools })}
            </span>
          </li>
        ))}
      </ul>
      {children}
    </TitledCard>
  );
}

function Spools({ day }: { day: MyDayAnswer }) {
  const t = useWords();
  if (day.hechos_hoy.length === 0) return null;
  return (
    <ul className={styles.rows} aria-label={t("my_day.spools_today")}>
      {day.hechos_hoy.map(({ tag_spool: tag, operacion, uniones, pulgadas }) => (
        <li key={`${operacion} ${tag}`} className={styles.row}>
          <OperationIcon operacion={operacion} />
          <strong className={styles.tag}>{tag}</strong>
          <span className={styles.soft}>
            {t(`operation.${operacion}`)}
            {uniones > 0 && ` · ${t("my_day.joints", { count: uniones })} · ${inches(pulgadas)}″`}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Rejections({ day }: { day: MyDayAnswer }) {
  const t = useWords();
  const count = day.rechazos.length;
  return (
    <TitledCard title={t("my_day.rejections")} badge={<Badge tone={count > 0 ? "warn" : "plain"}>{count}</Badge>} accent={count > 0 ? "bad" : undefined}>
      {count === 0 && <p className={styles.soft}>{t("my_day.no_rejections")}</p>}
      <ul className={styles.rows} aria-label={t("my_day.rejections")}>
        {day.rechazos.map(({ tag_spool: tag, en, ciclo, uniones }) => (
          <li key={`${tag} ${en}`} className={styles.row} data-rejection={tag}>
            <strong className={styles.tag}>{tag}</strong>
            <span className={styles.soft}>
              {clockText(en, day.dia)}
              {ciclo !== null && ` · ${t("my_day.cycle", { ciclo })}`}
              {uniones !== null && ` · ${t("my_day.my_joints", { count: uniones })}`}
            </span>
          </li>
        ))}
      </ul>
    </TitledCard>
  );
}

/** What others wrote about the spools that the person holds. */
function NotesToMe({ day }: { day: MyDayAnswer }) {
  const t = useWords();
  if (day.notas.length === 0) return null;
  return (
    <TitledCard title={t("my_day.notes")} badge={<Badge>{day.notas.length}</Badge>}>
      <ul className={styles.rows} aria-label={t("my_day.notes")}>
        {day.notas.map(({ seq, tag_spool: tag, at, worker, n_union, texto, fotos }) => (
          <li key={seq} className={styles.row} data-note={tag}>
            <strong className={styles.tag}>{tag}</strong>
            <span>{texto}</span>
            <span className={styles.soft}>
              {t("my_day.note_by", { worker, time: clockText(at, day.dia) })}
              {n_union !== null && ` · ${t("my_day.note_joint", { n: n_union })}`}
              {fotos.length > 0 && ` · ${t("my_day.note_photos", { count: fotos.length })}`}
            </span>
          </li>
        ))}
      </ul>
    </TitledCard>
  );
}

function Decided({ day }: { day: MyDayAnswer }) {
  const t = useWords();
  if (day.reclamos.length === 0) return null;
  return (
    <TitledCard title={t("my_day.reclamos")}>
      <ul className={styles.rows} aria-label={t("my_day.reclamos")}>
        {day.reclamos.map(({ id, tag_spool: tag, resolucion, trabajo }) => (
          <li key={id} className={styles.row}>
            <strong className={styles.tag}>{tag}</strong>
            {resolucion && (
              <span className={styles.soft}>
                {clockText(resolucion.en, day.dia)} ·{" "}
                {t("my_day.decided", { accepted: resolucion.aceptados, total: trabajo.length, supervisor: resolucion.por })} ·{" "}
                {resolucion.motivo}
              </span>
            )}
          </li>
        ))}
      </ul>
    </TitledCard>
  );
}
