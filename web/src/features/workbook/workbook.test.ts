import { describe, expect, it } from "vitest";

import type { SyncStatus } from "@/api/sync-status";
import { decisionsOn, listed, LISTED_MAX, waitsFor } from "./telling";

describe("a list of places", () => {
  const many = Array.from({ length: 200 }, (_, n) => n);

  it("is bounded, and says how many more there are", () => {
    expect(listed(many)).toEqual({ shown: many.slice(0, LISTED_MAX), more: 200 - LISTED_MAX });
    expect(listed([1, 2])).toEqual({ shown: [1, 2], more: 0 });
  });

  it("counts what the server did not send", () => {
    expect(listed(many, 5_000).more).toBe(5_000 - LISTED_MAX);
  });
});

describe("a stopped sheet", () => {
  it("offers only what would get it going", () => {
    expect(decisionsOn("FILAS")).toEqual(["CONFIRMAR", "REANUDAR"]);
    expect(decisionsOn("CELDAS")).toEqual(["CONFIRMAR", "REANUDAR"]);
    expect(decisionsOn("PESTAÑA")).toEqual(["CONFIRMAR"]);
    expect(decisionsOn("COLUMNAS")).toEqual([]);
  });
});

describe("why it waits", () => {
  const quiet = { state: "al_dia", reason: "", running: true, connected: true } as SyncStatus;

  it("is not said when it does not", () => {
    expect(waitsFor(quiet)).toBeNull();
    expect(waitsFor({ ...quiet, state: "detenida" })).toBeNull();
  });

  it("is what the lane said, else what can be seen from outside", () => {
    expect(waitsFor({ ...quiet, state: "detenida", reason: "Google no responde" })).toBe("reason");
    expect(waitsFor({ ...quiet, state: "esperando", running: false })).toBe("not_running");
    expect(waitsFor({ ...quiet, state: "esperando", running: false, connected: false })).toBe("not_connected");
  });
});
