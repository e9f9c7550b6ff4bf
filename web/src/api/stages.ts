// GET /api/dashboard/stages: how many spools wait, are worked on or are paused at each stage, and what time it is in the shop.
import { getJson } from "./http";
import type { GetAnswer } from "./types";

export type Stages = GetAnswer<"/api/dashboard/stages">;
export type Stage = Stages["stages"][number];

export const getStages = (signal?: AbortSignal): Promise<Stages> => getJson("/api/dashboard/stages", signal);
