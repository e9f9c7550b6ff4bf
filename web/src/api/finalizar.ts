// POST /api/v4/occupation/finalizar (v4.0): the ticked joints are done, the spool is free.
import type { Call, OneSpool } from "./call";
import type { FinalizarAnswer } from "./shapes";

export interface Finalizar extends OneSpool {
  selected_unions: number[];
}

export const finalizar: Call<Finalizar, FinalizarAnswer> = { path: "/api/v4/occupation/finalizar" };
