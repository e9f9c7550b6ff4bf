// POST /api/occupation/corregir: a supervisor reopens an operation or joints that were completed by mistake.
import { callOf } from "./call";
import type { PostBody } from "./types";

const PATH = "/api/occupation/corregir";
export type CorregirBody = PostBody<typeof PATH>;

export const corregir = callOf(PATH);
