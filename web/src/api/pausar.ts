// POST /api/occupation/pausar: v3.0: the progress stays, the spool is free.
import type { Call, OneSpool } from "./call";
import type { ActionAnswer } from "./shapes";

export const pausar: Call<OneSpool, ActionAnswer> = { path: "/api/occupation/pausar" };
