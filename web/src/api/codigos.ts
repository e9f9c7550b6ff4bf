// GET /api/codigos: which spool a scanned code is, or which tags are nearly the same.
import { getJson } from "./http";
import type { GetAnswer } from "./types";

export type CodeMeaning = GetAnswer<"/api/codigos">;

/** `texts`: what the code may say, the most likely first. */
export const askCode = (texts: readonly string[]): Promise<CodeMeaning> =>
  getJson(`/api/codigos?${new URLSearchParams(texts.map((text) => ["texto", text])).toString()}`);
