// POST /api/occupation/cancelar: v3.0: the operation is as it was before the take.
import { callOf } from "./call";

export const cancelar = callOf("/api/occupation/cancelar");
