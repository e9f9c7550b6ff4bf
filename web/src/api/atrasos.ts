// GET /api/dashboard/atrasos: what is held, paused or waiting for inspection for longer than the shop's limit, longest first.
import { getJson } from "./http";
import type { GetAnswer } from "./types";

export type Overdue = GetAnswer<"/api/dashboard/atrasos">;
export type OverdueRow = Overdue["atrasos"][number];
export type Atraso = OverdueRow["atraso"];
export type TipoAtraso = Atraso["tipo"];

export const getOverdue = (signal?: AbortSignal): Promise<Overdue> => getJson("/api/dashboard/atrasos", signal);
