// GET /api/v4/uniones/{tag}/disponibles: the joints that can be ticked now.
import { getJson, inPath, query } from "./http";
import type { GetAnswer, GetQuery } from "./types";

type Path = "/api/v4/uniones/{tag}/disponibles";

export const listAvailableJoints = async (
  tag: string,
  operacion: GetQuery<Path>["operacion"],
  signal?: AbortSignal,
): Promise<number[]> => {
  const path = `/api/v4/uniones/${inPath(tag)}/disponibles${query({ operacion })}`;
  const { unions } = await getJson<GetAnswer<Path>>(path, signal);
  return unions.map((joint) => joint.n_union);
};
