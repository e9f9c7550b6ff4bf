// GET /api/diagnostic/{tag}/version: which workflow a spool has now, and why. `consistent` is null when the server could not
// read the spool: the workflow is then a guess.
import { getJson, inPath } from "./http";
import type { GetAnswer } from "./types";

export const getVersion = (tag: string, signal?: AbortSignal): Promise<GetAnswer<"/api/diagnostic/{tag}/version">> =>
  getJson(`/api/diagnostic/${inPath(tag)}/version`, signal);
