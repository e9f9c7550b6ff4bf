// A chart, with a table of the same values. The code that draws is loaded when it is first needed.
import { lazy, Suspense, useId } from "react";

import { useWords } from "@/i18n";
import { useReadErrorText } from "@/live/hooks";
import { Card } from "@/ui/Card";
import { EmptyState } from "@/ui/EmptyState";
import { Loading } from "@/ui/Loading";
import { valueText, type Series } from "./figures";
import styles from "./Figure.module.css";

const Chart = lazy(async () => ({ default: (await import("./Chart")).Chart }));

export interface FigureProps {
  title: string;
  /** The heading of the labels. */
  head: string;
  labels: string[];
  series: Series[];
  unit: string;
  /** Of the read. */
  state: "pending" | "error" | "success";
  /** The top of the scale, if it is fixed. */
  max?: number;
  /** Further columns of the table. */
  more?: (Series & { unit: string })[];
}

export function Figure(figure: FigureProps) {
  const t = useWords();
  const readError = useReadErrorText();
  const id = useId();
  const { title, labels, series, unit, state, more = [] } = figure;
  const empty = series.every(({ values }) => values.every((value) => value === null || value === 0));
  return (
    <Card as="section" aria-labelledby={id} className={styles.figure}>
      <h2 id={id} className={styles.title}>
        {title}
      </h2>
      {empty && state === "pending" ? (
        <Loading label={t("app.loading")} />
      ) : empty && state === "error" ? (
        <EmptyState text={readError} />
      ) : empty ? (
        <EmptyState text={t("supervision.nothing")} />
      ) : (
        <>
          {series.length > 1 && <Legend series={series} />}
          <Suspense fallback={<Loading label={t("app.loading")} />}>
            <Chart {...figure} />
          </Suspense>
          <details>
            <summary className={styles.summary}>{t("supervision.as_table")}</summary>
            <Table head={figure.head} title={title} labels={labels} columns={[...withUnit(series, unit), ...more]} />
          </details>
        </>
      )}
    </Card>
  );
}

const withUnit = (series: Series[], unit: string): (Series & { unit: string })[] =>
  series.map((column) => ({ ...column, unit }));

function Legend({ series }: { series: Series[] }) {
  return (
    <ul className={styles.legend}>
      {series.map(({ name }, i) => (
        <li key={name}>
          <span className={i === series.length - 1 ? styles.signal : styles.steel} aria-hidden="true" />
          {name}
        </li>
      ))}
    </ul>
  );
}

interface TableProps {
  head: string;
  title: string;
  labels: string[];
  columns: (Series & { unit: string })[];
}

function Table({ head, title, labels, columns }: TableProps) {
  const t = useWords();
  return (
    <div className={styles.scroll} tabIndex={0} role="region" aria-label={`${t("supervision.as_table")}: ${title}`}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{head}</th>
            {columns.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {labels.map((label, row) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              {columns.map(({ name, values, unit }) => (
                <td key={name}>{valueText(values[row] ?? null, unit)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
