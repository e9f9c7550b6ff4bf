// GET /api/sync/status: how the shop's Google workbook is: last sync, what waits, what is stopped or left out, and why.
import { getJson } from "./http";
import type { GetAnswer } from "./types";

export type SyncStatus = GetAnswer<"/api/sync/status">;
export type SyncState = SyncStatus["state"];
/** A sheet that is neither read nor written until the change is undone there or a supervisor decides. */
export type Frozen = SyncStatus["frozen"][number];
export type FreezeKind = Frozen["tipo"];
export type SheetProblem = SyncStatus["problems"][number];
export type SheetConflict = SyncStatus["conflicts"][number];
export type RestoredCell = SyncStatus["given_back"][number];
/** A row or an event that Google refuses to take. */
export type Parked = SyncStatus["parked"][number];

export const getSyncStatus = (signal?: AbortSignal): Promise<SyncStatus> => getJson("/api/sync/status", signal);
