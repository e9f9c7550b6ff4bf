// What an import would do, before it does it: how many rows of each kind, and each row cell by cell.
import { useState, type ReactNode } from "react";

import type { PreviewCell, PreviewRow, RowKind, UploadedWorkbook } from "@/api/planilla";
import { useWords } from "@/i18n";
import { useReadErrorText } from "@/live/hooks";
import { Button } from "@/ui/Button";
import { EmptyState } from "@/ui/EmptyState";
import { Loading } from "@/ui/Loading";
import { classes } from "@/ui/classes";
import styles from "./ImportWorkbook.module.css";
import { cellText, firstKind, TILES } from "./progress";
import { usePreviewRows } from "./reads";

export function Preview({ upload: { id, resumen, vista } }: { upload: UploadedWorkbook }) {
  const t = useWords();
  const [chosen, setChosen] = useState<RowKind | null>(null);
  const kind = chosen ?? firstKind(resumen);
  return (
    <>
      <p className={styles.hint}>{t("import.preview_why", { same: resumen.iguales })}</p>
      <div className={styles.tiles} role="group" aria-label={t("import.kinds")}>
        {TILES.map(([name, tile]) => (
          <button
            key={tile}
            type="button"
            className={classes(styles.tile, styles[tile], tile === kind && styles.chosen)}
            aria-pressed={tile === kind}
            disabled={resumen[name] === 0}
            onClick={() => setChosen(tile)}
          >
            <strong className={styles.count}>{resumen[name]}</strong>
            <span>{t(`import.tile.${tile}`)}</span>
          </button>
        ))}
      </div>
      {kind && <Rows key={kind} id={id} kind={kind} read={vista} />}
    </>
  );
}

function Rows({ id, kind, read }: { id: string; kind: RowKind; read: string }) {
  const t = useWords();
  const readError = useReadErrorText();
  const pages = usePreviewRows(id, kind, read);
  const rows = pages.data?.pages.flatMap(({ filas }) => filas) ?? [];
  if (rows.length === 0) {
    if (pages.isPending) return <Loading label={t("app.loading")} />;
    return <EmptyState text={pages.isError ? readError : t("import.no_rows")} />;
  }
  return (
    <div className={styles.rows} tabIndex={0} role="region" aria-label={t(`import.tile.${kind}`)}>
      <ul>
        {rows.map((row, at) => (
          <li key={`${at} ${row.hoja} ${row.clave}`} className={styles.row}>
            <Row row={row} />
          </li>
        ))}
      </ul>
      {pages.hasNextPage && (
        <Button wide disabled={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
          {t("import.more")}
        </Button>
      )}
    </div>
  );
}

function Row({ row: { hoja, fila, clave, tipo, celdas } }: { row: PreviewRow }) {
  const t = useWords();
  return (
    <>
      <h3 className={styles.rowHead}>
        <span className={styles.key}>{clave}</span>
        <span className={styles.place}>{fila > 0 ? t("import.place", { hoja, fila }) : hoja}</span>
      </h3>
      {tipo === "retiro" && celdas.length === 0 && <p className={styles.reason}>{t("import.retired_why")}</p>}
      {celdas.length > 0 && (
        <dl className={styles.cells}>
          {celdas.map((cell, at) => (
            <Cell key={`${cell.columna} ${at}`} cell={cell} kind={tipo} />
          ))}
        </dl>
      )}
    </>
  );
}

function Cell({ cell: { columna, antes, despues, motivo }, kind }: { cell: PreviewCell; kind: RowKind }) {
  const t = useWords();
  const empty = <span className={styles.empty}>{t("import.empty")}</span>;
  const changes = antes !== despues;
  const shown = (value: string): ReactNode => (value === "" ? empty : cellText(columna, value));
  return (
    <div className={styles.cell}>
      <dt>{columna === "" ? t("import.whole_row") : columna}</dt>
      <dd>
        {changes && kind !== "nuevo" && kind !== "rechazo" && (
          <>
            <del>{shown(antes)}</del> <span aria-hidden="true">→</span>{" "}
          </>
        )}
        {changes && <ins>{shown(despues)}</ins>}
        {!changes && antes !== "" && shown(antes)}
        {motivo !== "" && <span className={classes(styles.reason, kind === "rechazo" && styles.refused)}>{motivo}</span>}
      </dd>
    </div>
  );
}
