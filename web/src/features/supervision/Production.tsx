// Inches and first-pass yield of a period: four totals and four charts, each chart with its table.
import { useState } from "react";

import { useWords } from "@/i18n";
import { dayOf, dayText, useShopMinute } from "@/shop/clock";
import { Choice } from "@/ui/Choice";
import { EmptyState } from "@/ui/EmptyState";
import { Field } from "@/ui/Field";
import { byInches, byRejections, inchesByDay, percent, total, valueText, yieldByDay } from "./figures";
import { Figure } from "./Figure";
import { daysOf, isPeriod, periodOf, SPANS, type Period, type Span } from "./period";
import { useCalidad, usePulgadas } from "./reads";
import styles from "./Production.module.css";

type InspectedWork = "ARM" | "SOLD";

export function Production() {
  const t = useWords();
  const today = dayOf(useShopMinute());
  const [span, setSpan] = useState<Span>("week");
  const [typed, setTyped] = useState<Period>(periodOf("month", today));
  const [work, setWork] = useState<InspectedWork>("SOLD");
  const period = span === "custom" ? typed : periodOf(span, today);
  return (
    <div className={styles.production}>
      <div className={styles.choices}>
        <Choice
          label={t("supervision.period")}
          value={span}
          options={SPANS.map((value) => ({ value, label: t(`supervision.span.${value}`) }))}
          onChange={setSpan}
        />
        {span === "custom" && <Days period={typed} today={today} onChange={setTyped} />}
        <Choice
          label={t("supervision.of_work")}
          value={work}
          options={(["ARM", "SOLD"] as const).map((value) => ({ value, label: t(`operation.${value}`) }))}
          onChange={setWork}
        />
      </div>
      {isPeriod(period) ? <Figures period={period} work={work} /> : <EmptyState text={t("supervision.bad_period")} />}
    </div>
  );
}

interface DaysProps {
  period: Period;
  today: string;
  onChange: (period: Period) => void;
}

function Days({ period, today, onChange }: DaysProps) {
  const t = useWords();
  return (
    <div className={styles.days}>
      {(["desde", "hasta"] as const).map((end) => (
        <Field
          key={end}
          label={t(`supervision.${end}`)}
          type="date"
          max={today}
          value={period[end]}
          onChange={(event) => onChange({ ...period, [end]: event.target.value })}
        />
      ))}
    </div>
  );
}

function Figures({ period, work }: { period: Period; work: InspectedWork }) {
  const t = useWords();
  const arm = usePulgadas({ ...period, por: "dia", operacion: "ARM" });
  const sold = usePulgadas({ ...period, por: "dia", operacion: "SOLD" });
  const quality = useCalidad({ ...period, por: "dia", operacion: work }).data;
  const firstPass = percent(quality?.total.rendimiento_a_la_primera ?? null);
  return (
    <>
      <dl className={styles.totals}>
        <Total name={`${t("supervision.inches")} · ${t("operation.ARM")}`} figure={valueText(total(arm.data), "″")} />
        <Total name={`${t("supervision.inches")} · ${t("operation.SOLD")}`} figure={valueText(total(sold.data), "″")} />
        <Total name={t("supervision.first_pass")} figure={valueText(firstPass, " %")} />
        <Total
          name={t("supervision.rejected")}
          figure={quality ? `${quality.total.rechazos} / ${quality.total.inspecciones}` : "–"}
        />
      </dl>
      <div className={styles.charts}>
        <ByDay period={period} arm={arm} sold={sold} />
        <ByWorker period={period} work={work} />
        <Yield period={period} work={work} />
        <Rejections period={period} work={work} />
      </div>
    </>
  );
}

function Total({ name, figure }: { name: string; figure: string }) {
  return (
    <div className={styles.total}>
      <dt>{name}</dt>
      <dd>{figure}</dd>
    </div>
  );
}

type PulgadasRead = ReturnType<typeof usePulgadas>;
interface ChartProps {
  period: Period;
  work: InspectedWork;
}

function ByDay({ period, arm, sold }: { period: Period; arm: PulgadasRead; sold: PulgadasRead }) {
  const t = useWords();
  const days = daysOf(period);
  const series = [
    { name: t("operation.ARM"), values: inchesByDay(days, arm.data ?? []) },
    { name: t("operation.SOLD"), values: inchesByDay(days, sold.data ?? []) },
  ];
  return (
    <Figure
      title={t("supervision.inches_by_day")}
      head={t("supervision.col.day")}
      labels={days.map(dayText)}
      series={series}
      state={arm.data ? sold.status : arm.status}
      unit="″"
    />
  );
}

function ByWorker({ period, work }: ChartProps) {
  const t = useWords();
  const read = usePulgadas({ ...period, por: "worker", operacion: work });
  const rows = byInches(read.data ?? []);
  return (
    <Figure
      title={`${t("supervision.inches_by_worker")} · ${t(`operation.${work}`)}`}
      head={t("supervision.col.worker")}
      labels={rows.map((row) => row.worker ?? t("supervision.nobody"))}
      series={[{ name: t("supervision.inches"), values: rows.map((row) => row.pulgadas) }]}
      state={read.status}
      unit="″"
    />
  );
}

function Yield({ period, work }: ChartProps) {
  const t = useWords();
  const days = daysOf(period);
  const read = useCalidad({ ...period, por: "dia", operacion: work });
  return (
    <Figure
      title={t("supervision.first_pass_by_day")}
      head={t("supervision.col.day")}
      labels={days.map(dayText)}
      series={[{ name: t("supervision.first_pass"), values: yieldByDay(days, read.data?.rows ?? []) }]}
      state={read.status}
      unit=" %"
      max={100}
    />
  );
}

function Rejections({ period, work }: ChartProps) {
  const t = useWords();
  const read = useCalidad({ ...period, por: "worker", operacion: work });
  const rows = byRejections(read.data?.rows ?? []);
  const series = [
    { name: t("supervision.inspected"), values: rows.map((row) => row.inspecciones) },
    { name: t("supervision.rejected"), values: rows.map((row) => row.rechazos) },
  ];
  const yields = { name: t("supervision.first_pass"), values: rows.map((row) => percent(row.rendimiento_a_la_primera)) };
  return (
    <Figure
      title={`${t("supervision.rejections_by_worker")} · ${t(`operation.${work}`)}`}
      head={t("supervision.col.worker")}
      labels={rows.map((row) => row.worker ?? "–")}
      series={series}
      state={read.status}
      more={[{ ...yields, unit: " %" }]}
      unit=""
    />
  );
}
