// How the first sheet looks, what to watch out for, and printing. Labels count as printed only when a person says so.
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";

import { allSheets, labelsPdf, LABELS_MAX, markPrinted, type LabelOrder, type SheetsAnswer } from "@/api/etiquetas";
import { useWords } from "@/i18n";
import { useOfficeRequest, useProblemText } from "@/shop/useOfficeRequest";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import { EmptyState } from "@/ui/EmptyState";
import { Loading } from "@/ui/Loading";
import { TitledCard } from "@/ui/TitledCard";
import { DownloadIcon, PrintIcon } from "@/ui/icons";
import styles from "./Labels.module.css";
import { Paper } from "./Paper";
import { LABELS, usePreview } from "./reads";
import { saveFile } from "@/ui/saveFile";
import { Sheet } from "./Sheet";

/** Tags that are named one by one; of more, the number says enough. */
const NAMED_MAX = 10;

export function Preview({ order }: { order: LabelOrder | null }) {
  const t = useWords();
  const problemText = useProblemText();
  const tooMany = (order?.tags.length ?? 0) > LABELS_MAX;
  const { data, isError, error, isPlaceholderData } = usePreview(tooMany ? null : order);
  return (
    <TitledCard title={t("labels.preview")}>
      {tooMany ? (
        <Callout tone="bad">{t("labels.list_too_long", { max: LABELS_MAX, n: order?.tags.length ?? 0 })}</Callout>
      ) : !order ? (
        <EmptyState text={t("labels.nothing_chosen")} />
      ) : isError ? (
        <Callout tone="bad">{problemText(error)}</Callout>
      ) : data ? (
        <Drawn order={order} sheets={data} outdated={isPlaceholderData} />
      ) : (
        <Loading label={t("app.loading")} />
      )}
    </TitledCard>
  );
}

/** `outdated`: the sheets are those of the order before, until the new ones are drawn; nobody prints meanwhile. */
function Drawn({ order, sheets, outdated }: { order: LabelOrder; sheets: SheetsAnswer; outdated: boolean }) {
  const t = useWords();
  const { hojas, ancho_mm, alto_mm, etiquetas, total_hojas, desconocidos } = sheets;
  const [first] = hojas;
  const known = order.tags.filter((tag) => !desconocidos.includes(tag));
  return (
    <>
      {desconocidos.length > 0 && <Callout tone="warn">{t("labels.unknown", { count: desconocidos.length, tags: named(desconocidos) })}</Callout>}
      <Warnings sheets={sheets} />
      {first && (
        <>
          <p className={styles.amount}>{t("labels.amount", { labels: etiquetas, sheets: total_hojas })}</p>
          <Printing order={{ ...order, tags: known }} disabled={outdated} />
          <div className={styles.preview}>
            <Sheet sheet={first} width_mm={ancho_mm} height_mm={alto_mm} label={t("labels.first_sheet")} />
          </div>
        </>
      )}
    </>
  );
}

function Warnings({ sheets: { avisos } }: { sheets: SheetsAnswer }) {
  const t = useWords();
  return (["CODIGO_DENSO", "LETRAS_QUE_FALTAN"] as const).map((kind) => {
    const tags = avisos.filter(({ motivo }) => motivo === kind).map(({ tag_spool }) => tag_spool);
    return (
      tags.length > 0 && (
        <Callout key={kind} tone="warn">
          {t(`labels.warnings.${kind}`, { tags: named(tags) })}
        </Callout>
      )
    );
  });
}

const named = (tags: readonly string[]): string => tags.slice(0, NAMED_MAX).join(", ") + (tags.length > NAMED_MAX ? "…" : "");

function Printing({ order, disabled }: { order: LabelOrder; disabled: boolean }) {
  const t = useWords();
  const { busy, problem, run, pinPad } = useOfficeRequest();
  const [paper, setPaper] = useState<SheetsAnswer | null>(null);
  const [sent, setSent] = useState<readonly string[] | null>(null);
  const printed = useCallback(() => setPaper(null), []);
  const printNow = (): void =>
    run(async () => {
      const sheets = await allSheets(order);
      setPaper(sheets);
      setSent(order.tags.filter((tag) => !sheets.desconocidos.includes(tag)));
    });
  const save = (): void =>
    run(async () => {
      saveFile(await labelsPdf(order), "etiquetas.pdf");
      setSent(order.tags);
    });
  return (
    <>
      <div className={styles.buttons}>
        <Button tone="signal" size="large" icon={<PrintIcon />} disabled={busy || disabled} onClick={printNow}>
          {t("labels.print")}
        </Button>
        <Button size="large" icon={<DownloadIcon />} disabled={busy || disabled} onClick={save}>
          {t("labels.pdf")}
        </Button>
      </div>
      {problem !== null && <Callout tone="bad">{problem}</Callout>}
      {sent && <CameOut tags={sent} onAnswered={() => setSent(null)} />}
      {paper && <Paper sheets={paper} onPrinted={printed} />}
      {pinPad}
    </>
  );
}

/** Paper jams and rolls end: only a person knows whether the labels are there. */
function CameOut({ tags, onAnswered }: { tags: readonly string[]; onAnswered: () => void }) {
  const t = useWords();
  const queries = useQueryClient();
  const { busy, problem, run } = useOfficeRequest();
  const mark = (): void =>
    run(async () => {
      await markPrinted(tags);
      await queries.invalidateQueries({ queryKey: [...LABELS, "list"] });
      onAnswered();
    });
  return (
    <Callout tone="plain">
      <p>{t("labels.came_out", { count: tags.length })}</p>
      <div className={styles.buttons}>
        <Button tone="good" disabled={busy} onClick={mark}>
          {t("labels.mark")}
        </Button>
        <Button disabled={busy} onClick={onAnswered}>
          {t("labels.not_yet")}
        </Button>
      </div>
      {problem !== null && <p>{problem}</p>}
    </Callout>
  );
}
