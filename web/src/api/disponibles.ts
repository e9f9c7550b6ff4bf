// GET /api/v4/uniones/{tag}/disponibles: the joints that can be ticked now.
import { getJson, inPath, query } from "./http";
import type { Operacion } from "./shapes";

export const listAvailableJoints = async (
  tag: string,
  operacion: Operacion,
  signal?: AbortSignal,
): Promise<number[]> => {
  const path = `/api/v4/uniones/${inPath(tag)}/disponibles${query({ operacion })}`;
  const found = await getJson<{ unions: { n_union: number }[] }>(path, signal);
  return found.unions.map((joint) => joint.n_union);
};
