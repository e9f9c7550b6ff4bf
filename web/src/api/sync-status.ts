// GET /api/sync/status: how the shop's Google workbook is: last sync, what waits, what is stopped or left out, and why.
import { getJson } from "./http";

export type SyncState = "sin_planilla" | "al_dia" | "escribiendo" | "detenida" | "esperando";
export type Sheet = "Operaciones" | "Uniones" | "Metadata" | "Trabajadores" | "Roles";
export type Decision = "CONFIRMAR" | "REANUDAR";
/** What was too large a change to be believed. */
export type FreezeKind = "COLUMNAS" | "PESTAÑA" | "FILAS" | "CELDAS";

/** A sheet that is neither read nor written until it is undone there or somebody decides. */
export interface Frozen {
  /** A decision is about this one, and no other that came after it. */
  id: string;
  hoja: Sheet;
  tipo: FreezeKind;
  motivo: string;
  desde: string | null;
  /** Decided, and not carried out yet. */
  decision: Decision | "";
}

/** A row or cell that is left out. `fila` is 0 when the whole sheet is meant, `columna` empty when the whole row is. */
export interface SheetProblem {
  hoja: string;
  fila: number;
  columna: string;
  motivo: string;
}

/** A person and the floor changed the same cell. */
export interface SheetConflict {
  at: string;
  hoja: string;
  fila: number;
  columna: string;
  antes: string;
  taller: string;
  planilla: string;
  queda: "planilla" | "taller";
}

/** A cell of people's own that a write of Carrete had hit, and that says again what it said. */
export interface GivenBack {
  at: string;
  hoja: string;
  fila: number;
  columna: string;
  /** What Carrete had written there. */
  carrete: string;
  repuesto: string;
}

/** What Google refuses to take. */
export interface Parked {
  hoja: string;
  tag_spool: string;
  n_union: number | null;
  motivo: string;
}

export interface SyncStatus {
  configured: boolean;
  connected: boolean;
  running: boolean;
  state: SyncState;
  /** Why it waits, in a sentence; empty when it does not. */
  reason: string;
  last_read: string | null;
  last_sync: string | null;
  rows_waiting: number;
  events_waiting: number;
  oldest_waiting: string | null;
  conflict_count: number;
  /** The latest, oldest first. */
  conflicts: SheetConflict[];
  given_back_count: number;
  /** The latest, oldest first. */
  given_back: GivenBack[];
  problem_count: number;
  problems: SheetProblem[];
  /** Nothing was left out there, but a person should know. */
  notices: SheetProblem[];
  parked_count: number;
  /** The first of them. */
  parked: Parked[];
  frozen: Frozen[];
}

export const getSyncStatus = (signal?: AbortSignal): Promise<SyncStatus> => getJson("/api/sync/status", signal);
