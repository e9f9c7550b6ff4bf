// /api/planilla/google: the connection to the shop's Google workbook: key, test, preview, connect, disconnect.
import { getJson, postSecret } from "./http";
import type { GetAnswer, PostAnswer } from "./types";

/** Google itself may take long. */
const GOOGLE_MS_MAX = 120_000;

export type GoogleConnection = GetAnswer<"/api/planilla/google">;
export type GoogleTest = PostAnswer<"/api/planilla/google/probar">;
/** What the first connection would do. */
export type GooglePreview = PostAnswer<"/api/planilla/google/previa">;

export const getGoogle = (signal?: AbortSignal): Promise<GoogleConnection> => getJson("/api/planilla/google", signal);

/** `key`: the JSON that Google gave for the service account. */
export const sendGoogleKey = (key: unknown): Promise<{ cuenta: string }> => postSecret("/api/planilla/google/clave", key);

export const testGoogle = (direccion: string): Promise<GoogleTest> =>
  postSecret("/api/planilla/google/probar", { direccion }, GOOGLE_MS_MAX);

export const previewGoogle = (direccion: string): Promise<GooglePreview> =>
  postSecret("/api/planilla/google/previa", { direccion }, GOOGLE_MS_MAX);

export const connectGoogle = (direccion: string): Promise<GoogleConnection> =>
  postSecret("/api/planilla/google/conectar", { direccion }, GOOGLE_MS_MAX);

export const disconnectGoogle = (): Promise<GoogleConnection> => postSecret("/api/planilla/google/desconectar", {}, GOOGLE_MS_MAX);
