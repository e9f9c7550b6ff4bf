// Which spools left this worker's hands without the worker. Pure: the spool's history tells.
import type { History } from "@/api/types";

export type Freed =
  | { kind: "by_supervisor"; by: string; reason: string }
  | { kind: "in_sheet" }
  | { kind: "moved"; label: string };

/** Null when the worker ended it, or holds it still. */
export function howItWasFreed(history: History, worker_id: number): Freed | null {
  const last = history.sessions.findLastIndex((session) => session.worker_id === worker_id);
  const session = history.sessions[last];
  if (!session || session.fin === null) return null;
  if (session.resultado === "LIBERADO") {
    const event = history.events.findLast((one) => one.evento_tipo === "LIBERAR_SPOOL");
    return { kind: "by_supervisor", by: event?.worker ?? "", reason: text(event?.metadata.motivo) };
  }
  if (session.resultado !== "EDITADO") return null;
  const next = history.sessions[last + 1];
  return next?.inicio === session.fin ? { kind: "moved", label: next.worker } : { kind: "in_sheet" };
}

const text = (found: unknown): string => (typeof found === "string" ? found : "");
