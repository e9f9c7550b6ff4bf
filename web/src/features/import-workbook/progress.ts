// What is going on with an uploaded workbook, and what may be uploaded. Pure.
import { UPLOAD_BYTES_MAX, type ImportSummary, type RowKind, type UploadedWorkbook } from "@/api/planilla";

/** The tiles of the preview, and which rows each of them shows. */
export const TILES = [
  ["nuevos", "nuevo"],
  ["cambiados", "cambio"],
  ["retirados", "retiro"],
  ["rechazados", "rechazo"],
  ["avisos", "aviso"],
] as const satisfies readonly (readonly [keyof ImportSummary, RowKind])[];

export const isWorking = ({ estado }: UploadedWorkbook): boolean => estado === "leyendo" || estado === "aplicando";

export const isOver = ({ estado }: UploadedWorkbook): boolean => estado === "hecha" || estado === "fallida";

/** What the import would write. */
export const changeCount = ({ nuevos, cambiados, retirados }: ImportSummary): number => nuevos + cambiados + retirados;

/** Which rows to show first: what is refused needs a person, then what is new. */
export function firstKind(resumen: ImportSummary): RowKind | null {
  const order = [TILES[3], TILES[0], TILES[1], TILES[2], TILES[4]];
  return order.find(([name]) => resumen[name] > 0)?.[1] ?? null;
}

/** Those that somebody still has to decide about, and the `followed` one with its result. The newest first, as the server lists them. */
export const openUploads = (uploads: readonly UploadedWorkbook[], followed: string | null): UploadedWorkbook[] =>
  uploads.filter((upload) => !isOver(upload) || upload.id === followed);

/** A date as the workbook shows it: `02-11-2026` instead of `2026-11-02`. */
export const cellText = (column: string, value: string): string =>
  /fecha/i.test(column) ? value.replace(/^(\d{4})-(\d\d)-(\d\d)(?=$|[T ])/, "$3-$2-$1").replace("T", " ") : value;

/** A key of `import.wrong` in the catalogues. */
export function wrongWith({ name, size }: { name: string; size: number }): "type" | "size" | "empty" | null {
  if (!/\.xlsx$/i.test(name)) return "type";
  if (size > UPLOAD_BYTES_MAX) return "size";
  return size === 0 ? "empty" : null;
}
