// /api/etiquetas: labels of spools and cards with badges.
import { postForFile } from "./download";
import { getJson, postSecret, query } from "./http";
import type { GetAnswer, PostAnswer, PostBody } from "./types";

/** 2,000 labels take the server some seconds, and others' labels may come first. */
const LABELS_MS_MAX = 60_000;
export const LABELS_MAX = 2_000;

export type LabelsAnswer = GetAnswer<"/api/etiquetas">;
export type SpoolLabel = LabelsAnswer["etiquetas"][number];
export type WorkOrder = LabelsAnswer["ots"][number];
export type SheetsAnswer = PostAnswer<"/api/etiquetas/hojas">;
export type LabelSheet = SheetsAnswer["hojas"][number];
type SheetsBody = PostBody<"/api/etiquetas/hojas">;
export type LabelFormat = NonNullable<SheetsBody["formato"]>;
export type LabelCode = NonNullable<SheetsBody["codigo"]>;
export type LabelGrid = NonNullable<SheetsBody["cuadricula"]>;
/** Which labels on which paper. */
export type LabelOrder = Omit<SheetsBody, "solo_primera" | "worker_nombre">;

export interface LabelChoice {
  ot: string;
  notPrinted: boolean;
}

export const getLabels = ({ ot, notPrinted }: LabelChoice, signal?: AbortSignal): Promise<LabelsAnswer> =>
  getJson(`/api/etiquetas${query({ ot, sin_imprimir: notPrinted ? "true" : "" })}`, signal);

export const firstSheet = (order: LabelOrder): Promise<SheetsAnswer> => postSecret("/api/etiquetas/hojas", { ...order, solo_primera: true }, LABELS_MS_MAX);

export const allSheets = (order: LabelOrder): Promise<SheetsAnswer> => postSecret("/api/etiquetas/hojas", order, LABELS_MS_MAX);

export const labelsPdf = (order: LabelOrder): Promise<Blob> => postForFile("/api/etiquetas/pdf", order, LABELS_MS_MAX);

export const markPrinted = (tags: readonly string[]): Promise<unknown> => postSecret("/api/etiquetas/impresas", { tags });

/** A random badge for everybody who has none; answers how many got one. */
export const giveBadges = async (): Promise<number> => (await postSecret<PostAnswer<"/api/personas/badges">>("/api/personas/badges", {})).dadas;

export const badgesPdf = (): Promise<Blob> => postForFile("/api/etiquetas/credenciales", {}, LABELS_MS_MAX);
