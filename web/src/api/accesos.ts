// GET /api/accesos: who came in, who was refused, and what an administrator changed; the newest first.
import { getJson, query } from "./http";
import type { GetAnswer, GetQuery } from "./types";

export type AccessPage = GetAnswer<"/api/accesos">;
export type AccessEvent = AccessPage["accesos"][number];
export type AccessKind = AccessEvent["tipo"];
export type AccessQuery = Pick<GetQuery<"/api/accesos">, "tipo" | "persona" | "dispositivo" | "desde" | "hasta">;

export const listAccesses = (wanted: AccessQuery, cursor: string, signal?: AbortSignal): Promise<AccessPage> =>
  getJson(`/api/accesos${query({ ...wanted, cursor })}`, signal);

/** The address of all events of the filter as a file for a spreadsheet. */
export const accessesFile = (wanted: AccessQuery): string => `/api/accesos${query({ ...wanted, formato: "csv" })}`;
