// /api/planos: a picture or a page of a PDF, stored under the hash of its picture; and the drawing of a spool with its numbers.
import { getJson, inPath, postBytes, postSecret } from "./http";
import type { components } from "./schema";
import type { GetAnswer, PostAnswer, PostBody } from "./types";

export type StoredDrawing = components["schemas"]["StoredDrawing"];
export type SpoolDrawing = GetAnswer<"/api/spools/{tag}/plano">;
export type JointMark = SpoolDrawing["marcas"][number];
type DrawingBody = Omit<PostBody<"/api/spools/{tag}/plano">, "worker_nombre">;

/** 20 MB over bad Wi-Fi. */
const UPLOAD_MS_MAX = 300_000;

export const uploadDrawing = (bytes: ArrayBuffer, type: string, page: number): Promise<StoredDrawing> =>
  postBytes(`/api/planos?pagina=${page}`, bytes, type, UPLOAD_MS_MAX);

export const drawingAddress = (id: string): string => `/api/planos/${id}`;

export const getDrawing = (tag: string, signal?: AbortSignal): Promise<SpoolDrawing> => getJson(`/api/spools/${inPath(tag)}/plano`, signal);

export const saveDrawing = (tag: string, body: DrawingBody): Promise<PostAnswer<"/api/spools/{tag}/plano">> => postSecret(`/api/spools/${inPath(tag)}/plano`, body);
