// Makes the timeline of a spool from its history: sessions of work, and the events between them. Newest first.
import type { History, HistoryEvent, HistorySession } from "@/api/types";

export type TimelineItem =
  | { kind: "session"; at: string; session: HistorySession; joints: number[] }
  | { kind: "event"; at: string; event: HistoryEvent };

/** Events that a session already shows: its beginning, its joints and its end. */
const SHOWN_BY_SESSIONS =
  /^(TOMAR|INICIAR|PAUSAR|COMPLETAR|CANCELAR)_|^SPOOL_(CANCELADO|(ARM|SOLD)_(PAUSADO|COMPLETADO))$|^UNION_|^REGISTRO_|^RELEVO$/;
const LATE = "REGISTRO_TARDIO";

export function timeline(history: History): TimelineItem[] {
  const sessions: TimelineItem[] = history.sessions.map((session) => ({
    kind: "session",
    at: session.inicio,
    session,
    joints: jointsOf(session, history.events),
  }));
  const events: TimelineItem[] = history.events
    .filter((event) => !SHOWN_BY_SESSIONS.test(event.evento_tipo))
    .map((event) => ({ kind: "event", at: event.at, event }));
  return [...sessions, ...events].sort((a, b) => Date.parse(a.at) - Date.parse(b.at)).reverse();
}

function jointsOf(session: HistorySession, events: readonly HistoryEvent[]): number[] {
  const begin = Date.parse(session.inicio);
  const end = session.fin ? Date.parse(session.fin) : Infinity;
  const late = session.resultado === LATE;
  return events
    .filter((event) => event.worker === session.worker)
    .filter((event) =>
      late ? event.evento_tipo === LATE && event.operacion === session.operacion : event.evento_tipo.startsWith("UNION_"),
    )
    .filter((event) => Date.parse(event.at) >= begin && Date.parse(event.at) <= end)
    .flatMap((event) => event.n_union ?? []);
}

/** `1, 2, 3, 7` as `1–3, 7`. */
export function ranges(numbers: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const n of [...numbers].sort((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last && n === last[1] + 1) last[1] = n;
    else runs.push([n, n]);
  }
  return runs.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(", ");
}

/** The parts of an event's metadata that the timeline shows. */
export interface EventFacts {
  motivo: string | null;
  joints: number[];
  edit: { column: string; was: string; now: string } | null;
  photos: string[];
  /** Of an examination: its method, round and report. */
  exam: string;
}

export function factsOf({ metadata, n_union }: HistoryEvent): EventFacts {
  const { metodo, ronda, informe, reparacion, defectos, motivo, texto, fotos, unions, trabajo, columna, anterior, nuevo } = metadata;
  const several = unions ?? trabajo; // of a correction, and of a reclamo that was declined
  const listed = Array.isArray(several) ? (several as { n_union?: unknown }[]).map((each) => each.n_union) : [n_union];
  return {
    motivo: text(motivo) || text(texto) || null, // a reason, or what a note says
    joints: listed.filter((n) => typeof n === "number"),
    edit: text(columna) ? { column: text(columna), was: text(anterior), now: text(nuevo) } : null,
    photos: Array.isArray(fotos) ? fotos.filter((id) => typeof id === "string") : [],
    exam: examText([text(metodo), typeof ronda === "number" && ronda > 0 ? `R${ronda}` : "", text(reparacion), text(informe)], defectos),
  };
}

const examText = (parts: readonly string[], defects: unknown): string =>
  [...parts, ...(Array.isArray(defects) ? defects.map(text) : [])].filter((part) => part !== "").join(" ");

const text = (value: unknown): string =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
