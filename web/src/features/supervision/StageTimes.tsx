// How long spools wait and are worked on at each stage, how old the work in progress is, and where it piles up.
import { useState } from "react";

import type { Etapa, Etapas } from "@/api/etapas";
import { useWords } from "@/i18n";
import { dayOf, daysAfter, dayText, useShopMinute } from "@/shop/clock";
import { useDurationText } from "@/shop/duration";
import { Callout } from "@/ui/Callout";
import { Card } from "@/ui/Card";
import { Choice } from "@/ui/Choice";
import { Figure } from "./Figure";
import figure from "./Figure.module.css";
import production from "./Production.module.css";
import { ReadState } from "./ReadState";
import { useEtapas } from "./reads";
import styles from "./StageTimes.module.css";

const WEEKS = { month: 4, quarter: 12, year: 52 } as const;
type Weeks = keyof typeof WEEKS;
const SPANS = Object.keys(WEEKS) as Weeks[];

export function StageTimes() {
  const t = useWords();
  const today = dayOf(useShopMinute());
  const [span, setSpan] = useState<Weeks>("month");
  const read = useEtapas({ desde: daysAfter(today, 1 - 7 * WEEKS[span]), hasta: today });
  return (
    <div className={production.production}>
      <Bottleneck etapas={read.data} />
      <div className={production.choices}>
        <Choice
          label={t("supervision.period")}
          value={span}
          options={SPANS.map((value) => ({ value, label: t(`stages.span.${value}`) }))}
          onChange={setSpan}
        />
      </div>
      <ReadState of={read} />
      {read.data && <Stages etapas={read.data.etapas} />}
      {read.data && (
        <div className={production.charts}>
          <InProgress groups={read.data.en_curso} state={read.status} />
          <ByWeek weeks={read.data.por_semana} state={read.status} />
        </div>
      )}
    </div>
  );
}

/** One sentence: where begun work waits most. */
function Bottleneck({ etapas }: { etapas: Etapas | undefined }) {
  const t = useWords();
  const duration = useDurationText();
  if (!etapas) return null;
  const { cuello } = etapas;
  if (!cuello) return <Callout tone="good">{t("stages.nothing_waits")}</Callout>;
  const facts = { operation: t(`operation.${cuello.operacion}`), n: cuello.esperan, time: duration(cuello.mediana_horas) };
  return (
    <Callout tone="warn">
      <strong className={styles.sentence} data-bottleneck={cuello.operacion}>
        {cuello.esperan === 1 ? t("stages.bottleneck_one", facts) : t("stages.bottleneck", facts)}
      </strong>{" "}
      {t("stages.bottleneck_why")}
    </Callout>
  );
}

function Stages({ etapas }: { etapas: readonly Etapa[] }) {
  const t = useWords();
  const heads = [
    ...(["stage", "wait", "waits", "work", "sessions"] as const),
    ...(["now", "now_median", "in_work"] as const),
  ];
  return (
    <Card as="section" aria-labelledby="stage-times" className={figure.figure}>
      <h2 id="stage-times" className={figure.title}>
        {t("stages.table")}
      </h2>
      <div className={figure.scroll} tabIndex={0} role="region" aria-label={`${t("stages.stage")}: ${t("stages.table")}`}>
        <table className={figure.table}>
          <thead>
            <tr>
              {heads.map((head) => (
                <th key={head} scope="col">
                  {t(`stages.${head}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {etapas.map((etapa) => (
              <StageRow key={etapa.operacion} etapa={etapa} />
            ))}
          </tbody>
        </table>
      </div>
      <p>{t("stages.of_period")}</p>
    </Card>
  );
}

function StageRow({ etapa: { operacion, espera, trabajo, ahora } }: { etapa: Etapa }) {
  const t = useWords();
  const duration = useDurationText();
  const works = operacion !== "METROLOGIA"; // an inspection is one instant
  return (
    <tr data-stage={operacion}>
      <th scope="row">{t(`operation.${operacion}`)}</th>
      <td>{duration(espera.mediana_horas)}</td>
      <td>{espera.veces}</td>
      <td>{works ? duration(trabajo.mediana_horas) : "–"}</td>
      <td>{works ? trabajo.veces : "–"}</td>
      <td>{ahora.esperan}</td>
      <td>{duration(ahora.mediana_horas)}</td>
      <td>{works ? ahora.en_trabajo : "–"}</td>
    </tr>
  );
}

type ReadStatus = "pending" | "error" | "success";

function InProgress({ groups, state }: { groups: Etapas["en_curso"]; state: ReadStatus }) {
  const t = useWords();
  const last = groups.at(-2)?.hasta_dias ?? 0;
  return (
    <Figure
      title={t("stages.in_progress")}
      head={t("stages.age")}
      labels={groups.map(({ hasta_dias }) => (hasta_dias === null ? t("stages.over", { n: last }) : t("stages.under", { n: hasta_dias })))}
      series={[{ name: t("stages.spools"), values: groups.map(({ spools }) => spools) }]}
      state={state}
      unit=""
    />
  );
}

function ByWeek({ weeks, state }: { weeks: Etapas["por_semana"]; state: ReadStatus }) {
  const t = useWords();
  return (
    <Figure
      title={t("stages.by_week")}
      head={t("stages.week")}
      labels={weeks.map(({ semana }) => dayText(semana))}
      series={[{ name: t("stages.spools"), values: weeks.map(({ spools }) => spools) }]}
      state={state}
      unit=""
    />
  );
}
