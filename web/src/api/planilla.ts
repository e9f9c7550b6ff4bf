// /api/planilla: workbooks that somebody uploads (preview, import, report), the export and the empty template.
import { getJson, inPath, postSecret, query } from "./http";
import { upload, type Upload } from "./upload";

export const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
export const UPLOAD_BYTES_MAX = 32 * 1024 * 1024;
export const EXPORT_ADDRESS = "/api/planilla/exportar";
export const TEMPLATE_ADDRESS = "/api/planilla/plantilla";
/** Reading a large workbook anew takes a while. */
const DECIDE_MS_MAX = 60_000;

export interface ImportSummary {
  nuevos: number;
  cambiados: number;
  retirados: number;
  rechazados: number;
  iguales: number;
  avisos: number;
}

export type UploadState = "leyendo" | "lista" | "aplicando" | "hecha" | "fallida";

export interface UploadedWorkbook {
  id: string;
  nombre: string;
  bytes: number;
  estado: UploadState;
  avance: { hecho: number; total: number };
  resumen: ImportSummary;
  /** Which preview it is; another one when the workbook was read anew. */
  vista: string;
  error: string | null;
  subida_por: string | null;
  subida_en: string;
}

export type RowKind = "nuevo" | "cambio" | "retiro" | "rechazo" | "aviso";

export interface PreviewCell {
  /** Empty: the row as a whole. */
  columna: string;
  antes: string;
  despues: string;
  motivo: string;
}

export interface PreviewRow {
  hoja: string;
  /** 0: the row is not in the file. */
  fila: number;
  clave: string;
  tipo: RowKind;
  celdas: PreviewCell[];
}

export interface PreviewPage {
  filas: PreviewRow[];
  next_cursor: string | null;
}

export const uploadWorkbook = (file: File, onSent: (bytes: number) => void): Upload<UploadedWorkbook> =>
  upload(`/api/planilla/cargas${query({ nombre: file.name })}`, file, XLSX, onSent);

export const listUploads = async (signal?: AbortSignal): Promise<UploadedWorkbook[]> =>
  (await getJson<{ cargas: UploadedWorkbook[] }>("/api/planilla/cargas", signal)).cargas;

export const getUpload = (id: string, signal?: AbortSignal): Promise<UploadedWorkbook> =>
  getJson(`/api/planilla/cargas/${inPath(id)}`, signal);

export const getPreviewRows = (id: string, tipo: RowKind, cursor: string, signal?: AbortSignal): Promise<PreviewPage> =>
  getJson(`/api/planilla/cargas/${inPath(id)}/filas${query({ tipo, cursor, limit: 50 })}`, signal);

/** Does what this preview shows, or nothing. */
export const applyUpload = ({ id, vista }: UploadedWorkbook): Promise<UploadedWorkbook> =>
  postSecret(`/api/planilla/cargas/${inPath(id)}/aplicar`, { vista }, DECIDE_MS_MAX);

export const discardUpload = (id: string): Promise<unknown> => postSecret(`/api/planilla/cargas/${inPath(id)}/descartar`, {});

export const reportAddress = (id: string): string => `/api/planilla/cargas/${inPath(id)}/informe`;
