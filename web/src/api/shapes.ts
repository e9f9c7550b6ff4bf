// The contract's shapes, as the server sends them. Names are the contract's.

export type Operacion = "ARM" | "SOLD" | "METROLOGIA" | "REPARACION";
export type Workflow = "v3.0" | "v4.0";
export type Estado = "PENDIENTE" | "EN_PROGRESO" | "PAUSADO" | "COMPLETADO";
export type Accion = "TOMAR" | "PAUSAR" | "COMPLETAR" | "CANCELAR" | "INICIAR" | "FINALIZAR" | "INSPECCIONAR" | Supervision;
/** What only a supervisor does. */
export type Supervision = "LIBERAR" | "DESBLOQUEAR" | "CORREGIR";
export type Rol = "Armador" | "Soldador" | "Ayudante" | "Metrologia" | "Supervisor";

export interface Spool {
  tag_spool: string;
  ot: string | null;
  nv: string | null;
  version_workflow: Workflow;
  total_uniones: number | null;
  uniones_sold_necesarias: number;
  uniones_arm_completadas: number;
  uniones_sold_completadas: number;
  arm: Estado;
  sold: Estado;
  metrologia: string;
  reparacion: string;
  ocupado_por: string | null;
  ocupado_por_id: number | null;
  operacion_actual: Operacion | null;
  fecha_ocupacion: string | null;
  armador: string | null;
  soldador: string | null;
  fecha_materiales: string | null;
  fecha_armado: string | null;
  fecha_soldadura: string | null;
  fecha_qc_metrologia: string | null;
  ciclo: number;
  estado_detalle: string;
  version: string;
}

export interface Joint {
  n_union: number;
  dn_union: number | null;
  tipo_union: string | null;
  datos_incompletos: string | null;
  arm_worker: string | null;
  arm_fecha_fin: string | null;
  sol_worker: string | null;
  sol_fecha_fin: string | null;
}

export interface SpoolCard extends Spool {
  uniones: Joint[];
  pulgadas_arm: number;
  pulgadas_sold: number;
  retirado: boolean;
  inconsistencias: string[];
  acciones: { accion: Accion; operacion: Operacion }[];
  motivos: Motivo[];
}

/** Why this worker cannot go on with an operation now: what the refusal would say. */
export interface Motivo {
  operacion: Operacion;
  code: string;
  detail: string;
  falta: string | null;
}

export interface SpoolPage {
  spools: Spool[];
  total: number;
  next_cursor: string | null;
}

export interface Worker {
  id: number;
  nombre: string;
  apellido: string;
  label: string;
  roles: Rol[];
}

/** What an action that succeeded says; `message` is the sentence for the worker. */
export interface ActionAnswer {
  success: true;
  tag_spool: string;
  operacion: Operacion;
  action_taken: string;
  message: string;
  ocupado_por: string | null;
  fecha_ocupacion: string | null;
  estado_detalle: string;
  version: string;
  event_seq: number;
}

export interface FinalizarAnswer extends ActionAnswer {
  unions_processed: number;
  pulgadas: number;
  metrologia_triggered: boolean;
}

export interface BatchAnswer {
  total: number;
  succeeded: number;
  failed_count: number;
  details: BatchDetail[];
}

export interface BatchDetail {
  tag_spool: string;
  success: boolean;
  message?: string;
  error?: { status: number; code: string; detail: string };
}

export interface HistoryEvent {
  seq: number;
  id: string;
  evento_tipo: string;
  worker: string | null;
  worker_id: number | null;
  operacion: Operacion | null;
  accion: string;
  n_union: number | null;
  at: string;
  metadata: Record<string, unknown>;
}

export interface HistorySession {
  worker: string;
  worker_id: number | null;
  operacion: Operacion | null;
  inicio: string;
  fin: string | null;
  duracion: string;
  resultado: string;
  pulgadas: number;
}

export interface History {
  tag_spool: string;
  sessions: HistorySession[];
  events: HistoryEvent[];
}

/** One event of the live stream. */
export interface SpoolUpdate {
  event_type: string;
  tag_spool: string;
  operacion: Operacion | null;
  worker: string | null;
  ocupado_por: string | null;
  estado_detalle: string;
  version: string;
  version_workflow: Workflow;
  at: string;
}
