// GET /api/health: the server answers, and says what time it is in the shop (ISO 8601 with the shop's offset).
import { getJson } from "./http";
import type { GetAnswer } from "./types";

export const getHealth = (signal?: AbortSignal): Promise<GetAnswer<"/api/health">> => getJson("/api/health", signal);
