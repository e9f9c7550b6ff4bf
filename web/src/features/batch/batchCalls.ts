// Which calls a choice of several spools needs: those that are worked joint by joint are begun with INICIAR, the others with TOMAR. The
// answers to both are shown as one. Pure functions.
import type { BatchAnswer, Operacion, Spool } from "@/api/types";

export type BatchAction = "TOMAR" | "INICIAR" | "PAUSAR" | "COMPLETAR";
export type Chosen = ReadonlyMap<string, Spool["version_workflow"]>;

export interface PlannedCall {
  accion: BatchAction;
  tags: string[];
}

export function plannedCalls(accion: BatchAction, chosen: Chosen, operacion: Operacion): PlannedCall[] {
  const tags = [...chosen.keys()].sort();
  if (accion !== "TOMAR" || operacion === "REPARACION") return [{ accion, tags }];
  const byJoint = tags.filter((tag) => chosen.get(tag) === "v4.0");
  const whole = tags.filter((tag) => chosen.get(tag) !== "v4.0");
  const calls: PlannedCall[] = [
    { accion: "TOMAR", tags: whole },
    { accion: "INICIAR", tags: byJoint },
  ];
  return calls.filter((call) => call.tags.length > 0);
}

/** In the order of the tags, as one request would be answered. */
export function answersTogether(answers: readonly BatchAnswer[]): BatchAnswer {
  const details = answers.flatMap((answer) => answer.details);
  details.sort((a, b) => (a.tag_spool < b.tag_spool ? -1 : 1));
  const succeeded = details.filter(({ success }) => success).length;
  return { total: details.length, succeeded, failed_count: details.length - succeeded, details };
}

/** A spool of one's own that is worked joint by joint is ended with its joints, one at a time. */
export function canBeChosen(spool: Spool, own: boolean, operacion: Operacion): boolean {
  if (operacion === "METROLOGIA") return false;
  if (own && spool.version_workflow === "v4.0" && operacion !== "REPARACION") return false;
  return own ? spool.operacion_actual === operacion : spool.ocupado_por === null;
}
