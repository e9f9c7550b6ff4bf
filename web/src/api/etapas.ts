// GET /api/metrics/etapas: waiting and working times by stage, work in progress by age, approved by week, the bottleneck.
import { getJson, query } from "./http";
import type { GetAnswer, GetQuery } from "./types";

export type EtapasQuery = GetQuery<"/api/metrics/etapas">;
export type Etapas = GetAnswer<"/api/metrics/etapas">;
export type Etapa = Etapas["etapas"][number];

export const getEtapas = (parameters: EtapasQuery, signal?: AbortSignal): Promise<Etapas> =>
  getJson(`/api/metrics/etapas${query({ ...parameters })}`, signal);
