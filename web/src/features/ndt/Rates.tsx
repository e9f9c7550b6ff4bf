// Repair rates of the last year: a chart of each rate with its interval beside the shop's, and the same as a table.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { getRates, type RateBy, type RateReport } from "@/api/ndt";
import { useWords } from "@/i18n";
import { useReadErrorText } from "@/live/hooks";
import { dayOf, dayText, daysAfter, useShopMinute } from "@/shop/clock";
import { decimal } from "@/shop/decimal";
import { Choice } from "@/ui/Choice";
import { EmptyState } from "@/ui/EmptyState";
import { Loading } from "@/ui/Loading";
import styles from "./Ndt.module.css";
import { NDT_KEY } from "./useNdt";

const BY: readonly RateBy[] = ["soldador", "proceso", "metodo", "diametro", "semana"];
const DAYS = 365;

type Row = RateReport["taller"] & { name: string };

export function Rates() {
  const t = useWords();
  const readError = useReadErrorText();
  const [por, setPor] = useState<RateBy>("soldador");
  const hasta = dayOf(useShopMinute());
  const { data, isError } = useQuery({
    queryKey: [NDT_KEY, "rates", por, hasta],
    queryFn: ({ signal }) => getRates({ por, hasta, desde: daysAfter(hasta, -DAYS) }, signal),
  });
  return (
    <section aria-labelledby="rates" className={styles.form}>
      <h2 id="rates" className={styles.heading}>
        {t("ndt.rates")}
      </h2>
      <Choice label={t("ndt.rates_by")} value={por} options={BY.map((value) => ({ value, label: t(`ndt.by.${value}`) }))} onChange={setPor} />
      {data ? <Report report={data} /> : isError ? <EmptyState text={readError} /> : <Loading label={t("app.loading")} />}
    </section>
  );
}

function Report({ report }: { report: RateReport }) {
  const t = useWords();
  const { por, taller, filas } = report;
  if (taller.examinadas === 0) return <EmptyState text={t("ndt.no_rates")} />;
  const named = filas.map((row, index) => ({ ...row, name: nameOf(por, row.clave, t("ndt.someone", { n: index + 1 })) }));
  const rows: Row[] = [...named, { ...taller, name: t("ndt.shop") }];
  return (
    <>
      <p>{t("ndt.rates_why", { count: report.minimo })}</p>
      <Chart rows={rows.filter(({ tasa }) => tasa !== null)} shop={taller.tasa} />
      <Table rows={rows} head={t(`ndt.by.${por}`)} />
    </>
  );
}

function nameOf(por: RateBy, key: string | null, nobody: string): string {
  if (key === null) return nobody;
  return por === "semana" ? dayText(key) : por === "diametro" && /^[0-9hm]/.test(key) ? `${key}″` : key;
}

const percent = (share: number): string => `${decimal(Math.round(share * 1000) / 10)} %`;

/** Each row: a line from the lower to the upper bound, a dot at the rate, and a tick at the shop's rate. */
function Chart({ rows, shop }: { rows: Row[]; shop: number | null }) {
  const t = useWords();
  if (rows.length === 0) return null;
  return (
    <figure className={styles.chart} role="img" aria-label={t("ndt.chart")}>
      {rows.map(({ name, tasa, desde_95, hasta_95 }) => (
        <div key={name} className={styles.bar}>
          <span className={styles.name}>{name}</span>
          <svg className={styles.scale} viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true">
            <line x1={0} x2={100} y1={6} y2={6} className={styles.axis} />
            <line x1={(desde_95 ?? 0) * 100} x2={(hasta_95 ?? 0) * 100} y1={6} y2={6} className={styles.interval} />
            {shop !== null && <line x1={shop * 100} x2={shop * 100} y1={0} y2={12} className={styles.shop} />}
            <line x1={(tasa ?? 0) * 100} x2={(tasa ?? 0) * 100} y1={2} y2={10} className={styles.rate} />
          </svg>
          <span className={styles.value}>{percent(tasa ?? 0)}</span>
        </div>
      ))}
    </figure>
  );
}

function Table({ rows, head }: { rows: Row[]; head: string }) {
  const t = useWords();
  return (
    <div className={styles.scroll} tabIndex={0} role="region" aria-label={`${t("ndt.rates")} · ${head}`}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{head}</th>
            <th scope="col">{t("ndt.examined")}</th>
            <th scope="col">{t("ndt.rejected")}</th>
            <th scope="col">{t("ndt.rate")}</th>
            <th scope="col">{t("ndt.interval")}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, examinadas, rechazadas, tasa, desde_95, hasta_95 }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{examinadas}</td>
              <td>{rechazadas}</td>
              <td>{tasa === null ? t("ndt.too_few") : percent(tasa)}</td>
              <td>{desde_95 === null || hasta_95 === null ? "–" : `${percent(desde_95)} – ${percent(hasta_95)}`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
