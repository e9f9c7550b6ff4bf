// What a supervisor decides about a reclamo. Pure functions.
import type { ClaimedWork, Decision, Reclamo } from "@/api/reclamos";

/** The name of a piece of work within its reclamo. */
export const nameOf = ({ operacion, n_union }: Pick<ClaimedWork, "operacion" | "n_union">): string => `${operacion} ${n_union ?? "*"}`;

/** A supervisor who works on the floor too may decline the own reclamo, and never accept it. */
export const isOwn = ({ worker_id }: Reclamo, supervisor: { id: number }): boolean => worker_id === supervisor.id;

/** What was ticked and can still be accepted: somebody may have registered it meanwhile. */
export const acceptable = ({ trabajo }: Reclamo, ticked: ReadonlySet<string>): ClaimedWork[] =>
  trabajo.filter((work) => work.aceptable && ticked.has(nameOf(work)));

export const inchesOf = (work: readonly ClaimedWork[]): number => work.reduce((sum, { dn_union }) => sum + (dn_union ?? 0), 0);

export function decisionOf(accepted: readonly ClaimedWork[], supervisor_id: number, dia: string, motivo: string): Decision {
  const aceptar = accepted.map(({ operacion, n_union }) => ({ operacion, n_union })) as Decision["aceptar"];
  return { supervisor_id, aceptar, dia, motivo: motivo.trim() };
}

/** When the work was tapped, by the tablet's clock; null where nobody knows. ISO 8601. */
export function tappedAt({ pasos }: Reclamo): string | null {
  const times = pasos.map(({ hecho_en }) => hecho_en).filter((time) => typeof time === "string");
  return times.at(-1) ?? null;
}

/** The key of each decision until it is answered: after a lost answer the same decision is sent under the same key, and the
 * supervisor hears what became of it. */
export class DecisionKeys {
  private readonly keys = new Map<string, string>();

  constructor(private readonly make: () => string) {}

  of(reclamo_id: string, decision: Decision): string {
    const name = nameOfDecision(reclamo_id, decision);
    const key = this.keys.get(name) ?? this.make();
    this.keys.set(name, key);
    return key;
  }

  /** The server has decided: if the supervisor decides the same again, it is a new decision. */
  answered(reclamo_id: string, decision: Decision): void {
    this.keys.delete(nameOfDecision(reclamo_id, decision));
  }
}

const nameOfDecision = (reclamo_id: string, decision: Decision): string => JSON.stringify([reclamo_id, decision]);
