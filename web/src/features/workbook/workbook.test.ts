import { describe, expect, it } from "vitest";

import type { SyncStatus } from "@/api/sync-status";
import { decisionsFor, SHOWN_MAX, shortList, waitingReason } from "./statusText";

describe("a list of places", () => {
  const many = Array.from({ length: 200 }, (_, n) => n);

  it("is bounded, and says how many more there are", () => {
    expect(shortList(many)).toEqual({ shown: many.slice(0, SHOWN_MAX), more: 200 - SHOWN_MAX });
    expect(shortList([1, 2])).toEqual({ shown: [1, 2], more: 0 });
  });

  it("counts what the server did not send", () => {
    expect(shortList(many, 5_000).more).toBe(5_000 - SHOWN_MAX);
  });
});

describe("a stopped sheet", () => {
  it("offers only what would get it going", () => {
    expect(decisionsFor("FILAS")).toEqual(["CONFIRMAR", "REANUDAR"]);
    expect(decisionsFor("CELDAS")).toEqual(["CONFIRMAR", "REANUDAR"]);
    expect(decisionsFor("PESTAÑA")).toEqual(["CONFIRMAR"]);
    expect(decisionsFor("COLUMNAS")).toEqual([]);
  });
});

describe("why it waits", () => {
  const quiet = { state: "al_dia", reason: "", running: true, connected: true } as SyncStatus;

  it("is not said when it does not", () => {
    expect(waitingReason(quiet)).toBeNull();
    expect(waitingReason({ ...quiet, state: "detenida" })).toBeNull();
  });

  it("is what the lane said, else what can be seen from outside", () => {
    expect(waitingReason({ ...quiet, state: "detenida", reason: "Google no responde" })).toBe("reason");
    expect(waitingReason({ ...quiet, state: "esperando", running: false })).toBe("not_running");
    expect(waitingReason({ ...quiet, state: "esperando", running: false, connected: false })).toBe("not_connected");
  });
});
