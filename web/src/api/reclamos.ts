// /api/reclamos: work that was done and whose registration was refused. A supervisor decides about it.
import { callOf } from "./call";
import { getJson, postJson, query } from "./http";
import type { GetAnswer, PostAnswer, PostBody } from "./types";

export const reclamar = callOf("/api/reclamos");

export type Reclamo = GetAnswer<"/api/reclamos">["reclamos"][number];
export type ClaimedWork = Reclamo["trabajo"][number];
export type Decision = PostBody<"/api/reclamos/{id}/resolver">;
export type DecisionAnswer = PostAnswer<"/api/reclamos/{id}/resolver">;

export const listReclamos = (estado: "pendiente" | "resuelto", worker_id?: number, signal?: AbortSignal): Promise<GetAnswer<"/api/reclamos">> =>
  getJson(`/api/reclamos${query({ estado, worker_id })}`, signal);

export const resolveReclamo = (id: string, decision: Decision, key: string): Promise<DecisionAnswer> =>
  postJson(`/api/reclamos/${encodeURIComponent(id)}/resolver`, decision, key);

/** What was decided about this person's reclamos, and they have not seen yet. */
export const listNews = async (worker_id: number, signal?: AbortSignal): Promise<Reclamo[]> =>
  (await getJson<GetAnswer<"/api/reclamos/avisos">>(`/api/reclamos/avisos${query({ worker_id })}`, signal)).avisos;

export const markSeen = (worker_id: number, ids: string[], key: string): Promise<unknown> =>
  postJson("/api/reclamos/avisos/visto", { worker_id, ids }, key);
