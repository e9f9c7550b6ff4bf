// GET /api/diagnostic/{tag}/version: which workflow a spool has now, and why.
import { getJson, inPath } from "./http";
import type { Workflow } from "./shapes";

export interface Diagnostic {
  tag_spool: string;
  version: Workflow;
  union_count: number;
  detection_logic: string;
  uniones_rows: number | null;
  /** Null: the server could not read the spool, and what it says is a guess. */
  consistent: boolean | null;
}

export const getVersion = (tag: string, signal?: AbortSignal): Promise<Diagnostic> =>
  getJson(`/api/diagnostic/${inPath(tag)}/version`, signal);
