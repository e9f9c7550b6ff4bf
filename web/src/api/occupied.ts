// GET /api/dashboard/occupied: who holds which spool now, longest first.
import { getJson } from "./http";
import type { GetAnswer } from "./types";

type Answer = GetAnswer<"/api/dashboard/occupied">;
export type Occupied = Answer["occupied"][number];

export const listOccupied = async (signal?: AbortSignal): Promise<Occupied[]> =>
  (await getJson<Answer>("/api/dashboard/occupied", signal)).occupied;
