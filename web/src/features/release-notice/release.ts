// How a worker lost a spool without ending the work themselves. A pure function of the spool's history.
import type { History } from "@/api/types";

export type Release =
  | { kind: "by_supervisor"; by: string; reason: string }
  | { kind: "in_sheet" }
  | { kind: "moved"; label: string }
  | { kind: "handed_over"; label: string };

/** Null when the worker ended the work, or still holds the spool. */
export function releaseFrom(history: History, worker_id: number): Release | null {
  const last = history.sessions.findLastIndex((session) => session.worker_id === worker_id);
  const session = history.sessions[last];
  if (!session || session.fin === null) return null;
  if (session.resultado === "LIBERADO") {
    const event = history.events.findLast(({ evento_tipo }) => evento_tipo === "LIBERAR_SPOOL");
    return { kind: "by_supervisor", by: event?.worker ?? "", reason: text(event?.metadata.motivo) };
  }
  const next = history.sessions[last + 1];
  if (session.resultado === "RELEVO") return { kind: "handed_over", label: next?.worker ?? "" };
  if (session.resultado !== "EDITADO") return null;
  return next?.inicio === session.fin ? { kind: "moved", label: next.worker } : { kind: "in_sheet" };
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
