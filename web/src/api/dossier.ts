// /api/dossier: the weld dossier of spools or of a work order, as a PDF or an .xlsx.
import { getFile, type AnsweredFile } from "./download";
import { getJson, query } from "./http";
import type { GetAnswer } from "./types";

/** The largest takes the server some seconds, and another one may come first. */
const DOSSIER_MS_MAX = 120_000;
export const DOSSIER_SPOOLS_MAX = 200;

export type DossierWorkOrder = GetAnswer<"/api/dossier/ots">["ots"][number];

export interface DossierOrder {
  tags: readonly string[];
  /** Instead of tags. */
  ot: string;
  format: "pdf" | "xlsx";
  language: "es" | "en";
  photos: boolean;
}

export const listWorkOrders = async (signal?: AbortSignal): Promise<DossierWorkOrder[]> =>
  (await getJson<GetAnswer<"/api/dossier/ots">>("/api/dossier/ots", signal)).ots;

export function getDossier({ tags, ot, format, language, photos }: DossierOrder): Promise<AnsweredFile> {
  const asked = query({ ot: ot || undefined, formato: format, idioma: language, fotos: photos ? "true" : undefined });
  return getFile(`/api/dossier${asked}${tags.map((tag) => `&tag=${encodeURIComponent(tag)}`).join("")}`, DOSSIER_MS_MAX);
}
