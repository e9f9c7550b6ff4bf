// POST /api/ajustes/webhook/probar: sends a conflict that is none to the address that is stored, once.
import { postSecret } from "./http";
import type { PostAnswer } from "./types";

export type WebhookTest = PostAnswer<"/api/ajustes/webhook/probar">;

/** The server waits for the other system. */
const TEST_MS_MAX = 20_000;

export const testWebhook = (): Promise<WebhookTest> => postSecret("/api/ajustes/webhook/probar", {}, TEST_MS_MAX);
