// POST /api/occupation/completar: v3.0: the operation is done.
import { callOf } from "./call";

export const completar = callOf("/api/occupation/completar");
