import { describe, expect, it } from "vitest";

import type { History, HistoryEvent, HistorySession } from "@/api/types";
import { releaseFrom } from "./release";

const session = (worker_id: number, resultado: string, more: Partial<HistorySession> = {}): HistorySession => ({
  worker: `X(${worker_id})`,
  worker_id,
  operacion: "ARM",
  inicio: "2026-11-14T08:00:00-03:00",
  fin: resultado === "EN_PROGRESO" ? null : "2026-11-14T10:00:00-03:00",
  duracion: "2h 0m",
  resultado,
  pulgadas: 0,
  ...more,
});
const history = (sessions: HistorySession[], events: Partial<HistoryEvent>[] = []): History => ({
  tag_spool: "A",
  sessions,
  events: events as HistoryEvent[],
});

describe("a spool that is no longer in my hands", () => {
  it("was released by a supervisor, with a reason", () => {
    const liberar = { evento_tipo: "LIBERAR_SPOOL", worker: "SV(21)", metadata: { motivo: "fin de turno" } };
    expect(releaseFrom(history([session(93, "LIBERADO")], [liberar]), 93)).toEqual({
      kind: "by_supervisor",
      by: "SV(21)",
      reason: "fin de turno",
    });
  });

  it("was freed in the sheet", () => {
    expect(releaseFrom(history([session(93, "EDITADO")]), 93)).toEqual({ kind: "in_sheet" });
  });

  it("was given to somebody else in the sheet", () => {
    const next = session(94, "EN_PROGRESO", { inicio: "2026-11-14T10:00:00-03:00" });
    expect(releaseFrom(history([session(93, "EDITADO"), next]), 93)).toEqual({ kind: "moved", label: "X(94)" });
  });

  it("was handed over, and somebody accepted it", () => {
    const next = session(94, "EN_PROGRESO", { inicio: "2026-11-14T10:00:00-03:00" });
    expect(releaseFrom(history([session(93, "RELEVO"), next]), 93)).toEqual({ kind: "handed_over", label: "X(94)" });
  });

  it("was ended by myself, or was never mine: nothing to tell", () => {
    expect(releaseFrom(history([session(93, "PAUSADO"), session(94, "LIBERADO")]), 93)).toBeNull();
    expect(releaseFrom(history([session(94, "LIBERADO")]), 93)).toBeNull();
    expect(releaseFrom(history([session(93, "EN_PROGRESO")]), 93)).toBeNull();
  });
});
