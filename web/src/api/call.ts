// An action on a spool as a value: where it goes and what it says. The taps send it, and nothing else does.
import type { Operacion } from "./shapes";

/** `Body` and `Answer` exist for the type checker only. */
export interface Call<Body, Answer> {
  readonly path: string;
  readonly body?: (body: Body) => never;
  readonly answer?: Answer;
}

export interface OneSpool {
  tag_spool: string;
  worker_id: number;
  operacion: Operacion;
}

export interface ManySpools {
  tag_spools: string[];
  worker_id: number;
  operacion: Operacion;
}

/** What a supervisor does to a spool, with a reason. */
export interface Supervised {
  tag_spool: string;
  supervisor_id: number;
  motivo: string;
}
