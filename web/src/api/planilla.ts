// /api/planilla: workbooks that somebody uploads (preview, import, report), the export and the empty template.
import { getJson, inPath, postSecret, query } from "./http";
import type { GetAnswer } from "./types";
import { upload, type Upload } from "./upload";

export const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
export const UPLOAD_BYTES_MAX = 32 * 1024 * 1024;
export const EXPORT_ADDRESS = "/api/planilla/exportar";
export const TEMPLATE_ADDRESS = "/api/planilla/plantilla";
/** Reading a large workbook anew takes a while. */
const DECIDE_MS_MAX = 60_000;

export type UploadedWorkbook = GetAnswer<"/api/planilla/cargas/{id}">;
export type ImportSummary = UploadedWorkbook["resumen"];
export type PreviewPage = GetAnswer<"/api/planilla/cargas/{id}/filas">;
export type PreviewRow = PreviewPage["filas"][number];
export type PreviewCell = PreviewRow["celdas"][number];
export type RowKind = PreviewRow["tipo"];

export const uploadWorkbook = (file: File, onSent: (bytes: number) => void): Upload<UploadedWorkbook> =>
  upload(`/api/planilla/cargas${query({ nombre: file.name })}`, file, XLSX, onSent);

export const listUploads = async (signal?: AbortSignal): Promise<UploadedWorkbook[]> =>
  (await getJson<GetAnswer<"/api/planilla/cargas">>("/api/planilla/cargas", signal)).cargas;

export const getUpload = (id: string, signal?: AbortSignal): Promise<UploadedWorkbook> =>
  getJson(`/api/planilla/cargas/${inPath(id)}`, signal);

export const getPreviewRows = (id: string, tipo: RowKind, cursor: string, signal?: AbortSignal): Promise<PreviewPage> =>
  getJson(`/api/planilla/cargas/${inPath(id)}/filas${query({ tipo, cursor, limit: 50 })}`, signal);

/** Does what this preview shows, or nothing. */
export const applyUpload = ({ id, vista }: UploadedWorkbook): Promise<UploadedWorkbook> =>
  postSecret(`/api/planilla/cargas/${inPath(id)}/aplicar`, { vista }, DECIDE_MS_MAX);

export const discardUpload = (id: string): Promise<unknown> => postSecret(`/api/planilla/cargas/${inPath(id)}/descartar`, {});

export const reportAddress = (id: string): string => `/api/planilla/cargas/${inPath(id)}/informe`;
