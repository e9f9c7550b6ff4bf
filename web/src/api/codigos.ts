// POST /api/codigos: which spool a scanned code is, or which tags are nearly the same. It changes nothing.
import { postSecret } from "./http";
import type { PostAnswer } from "./types";

export type CodeMeaning = PostAnswer<"/api/codigos">;

/** `textos`: what the code may say, the most likely first. */
export const askCode = (textos: readonly string[]): Promise<CodeMeaning> => postSecret("/api/codigos", { textos });
