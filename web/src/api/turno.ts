// GET /api/turno: the shift that runs now, and about which of their spools a person is asked at its end.
import { getJson, query } from "./http";
import type { GetAnswer } from "./types";

export type Turno = GetAnswer<"/api/turno">;
export type AskedSpool = Turno["spools"][number];

export const getTurno = (worker_id: number, signal?: AbortSignal): Promise<Turno> => getJson(`/api/turno${query({ worker_id })}`, signal);
