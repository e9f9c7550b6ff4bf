// /api/webhooks: addresses of other systems that are told what happens. A secret is answered once, when an address is added.
import { getJson, inPath, postSecret } from "./http";
import type { GetAnswer, PostAnswer } from "./types";

export type RegisteredWebhook = GetAnswer<"/api/webhooks">["webhooks"][number];
export type WebhookKind = RegisteredWebhook["tipos"][number];
export type WebhookFormat = RegisteredWebhook["formato"];
export type ParkedMessage = RegisteredWebhook["ultimos_estacionados"][number];
export type NewWebhook = PostAnswer<"/api/webhooks">;
export type WebhookDeliveryTest = PostAnswer<"/api/webhooks/{id}/probar">;

export interface WebhookFields {
  nombre: string;
  /** Left out: as the server has it, which shows it to nobody. */
  url?: string;
  formato: WebhookFormat;
  tipos: WebhookKind[];
  red_privada: boolean;
}

/** The server waits for the other system. */
const TEST_MS_MAX = 20_000;

export const listWebhooks = async (signal?: AbortSignal): Promise<RegisteredWebhook[]> =>
  (await getJson<GetAnswer<"/api/webhooks">>("/api/webhooks", signal)).webhooks;

export const addWebhook = (fields: WebhookFields): Promise<NewWebhook> => postSecret("/api/webhooks", fields);

export const editWebhook = (id: string, fields: WebhookFields): Promise<unknown> => postSecret(`${pathOf(id)}/editar`, fields);

export const testRegisteredWebhook = (id: string): Promise<WebhookDeliveryTest> =>
  postSecret(`${pathOf(id)}/probar`, {}, TEST_MS_MAX);

export type WebhookSwitch = "activar" | "desactivar" | "borrar" | "reintentar" | "descartar";

export const switchWebhook = (id: string, what: WebhookSwitch): Promise<unknown> => postSecret(`${pathOf(id)}/${what}`, {});

const pathOf = (id: string): string => `/api/webhooks/${inPath(id)}`;
