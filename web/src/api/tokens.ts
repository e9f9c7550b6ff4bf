// /api/tokens: how other systems identify themselves. A token is answered once, when it is made.
import { getJson, inPath, postSecret } from "./http";
import type { GetAnswer, PostAnswer } from "./types";

export type ApiToken = GetAnswer<"/api/tokens">["tokens"][number];
export type TokenScope = ApiToken["alcances"][number];
export type NewToken = PostAnswer<"/api/tokens">;

export const listTokens = async (signal?: AbortSignal): Promise<ApiToken[]> =>
  (await getJson<GetAnswer<"/api/tokens">>("/api/tokens", signal)).tokens;

export const makeToken = (nombre: string, alcances: TokenScope[], dias: number): Promise<NewToken> =>
  postSecret("/api/tokens", { nombre, alcances, dias });

export const revokeToken = (id: string): Promise<unknown> => postSecret(`/api/tokens/${inPath(id)}/revocar`, {});
