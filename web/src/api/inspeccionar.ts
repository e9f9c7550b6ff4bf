// POST /api/metrologia/completar: the result of an inspection.
import { callOf } from "./call";
import type { PostBody } from "./types";

const PATH = "/api/metrologia/completar";
export type Resultado = PostBody<typeof PATH>["resultado"];

export const inspeccionar = callOf(PATH);
