// GET /api/health: the server is there, and what time it is in the shop.
import { getJson } from "./http";

export interface Health {
  status: "ok";
  version: string;
  /** ISO 8601 with the shop's offset. */
  now: string;
}

export const getHealth = (signal?: AbortSignal): Promise<Health> => getJson("/api/health", signal);
