// GET /api/dashboard/stages: how many spools wait, are worked on or rest at each stage, and what time it is in the shop.
import { getJson } from "./http";
import type { Operacion } from "./shapes";

export interface Stage {
  operacion: Operacion;
  waiting: number;
  in_work: number;
  paused: number;
}

export interface Stages {
  /** ISO 8601 with the shop's offset. */
  now: string;
  stages: Stage[];
  without_materials: number;
  rejected: number;
  blocked: number;
  done: number;
}

export const getStages = (signal?: AbortSignal): Promise<Stages> => getJson("/api/dashboard/stages", signal);
