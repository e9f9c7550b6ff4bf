// POST /api/sistema/verificar: the trail recomputed and compared with its witnesses, and with receipts that a tablet kept.
import { postSecret, query } from "./http";
import type { PostAnswer, PostBody } from "./types";

const PATH = "/api/sistema/verificar";
const VERIFY_MS_MAX = 130_000;

export type TrailVerification = PostAnswer<typeof PATH>;
export type KeptReceipts = PostBody<typeof PATH>;

export const verifyTrail = (body: KeptReceipts, idioma: "es" | "en"): Promise<TrailVerification> =>
  postSecret(`${PATH}${query({ idioma })}`, body, VERIFY_MS_MAX);
