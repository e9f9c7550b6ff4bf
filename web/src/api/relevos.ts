// /api/relevos and /api/occupation/relevo: a spool that its holder hands over to another worker. Sent while the person waits for the
// answer, or not at all: none of it is stored on the tablet.
import { getJson, postJson, query } from "./http";
import type { GetAnswer, PostAnswer, PostBody } from "./types";

export type Relevos = GetAnswer<"/api/relevos">;
export type Relevo = Relevos["recibidos"][number];
export type OfferBody = PostBody<"/api/occupation/relevo/ofrecer">;
type AnswerBody = PostBody<"/api/occupation/relevo/aceptar">;

export const listRelevos = (worker_id: number, signal?: AbortSignal): Promise<Relevos> =>
  getJson(`/api/relevos${query({ worker_id })}`, signal);

export const offerSpool = (body: OfferBody, key: string): Promise<PostAnswer<"/api/occupation/relevo/ofrecer">> =>
  postJson("/api/occupation/relevo/ofrecer", body, key);

export const answerOffer = (
  answer: "aceptar" | "retirar" | "rechazar",
  body: AnswerBody,
  key: string,
): Promise<PostAnswer<"/api/occupation/relevo/aceptar">> => postJson(`/api/occupation/relevo/${answer}`, body, key);
