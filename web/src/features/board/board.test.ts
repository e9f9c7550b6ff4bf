import { describe, expect, it } from "vitest";

import type { SpoolUpdate } from "@/api/types";
import { MOVES_MAX, withMove, type Move } from "./last-moves";
import { pageOf } from "./pages";
import { shortTag } from "./shortTag";

const update = (event_type: string, tag_spool = "A"): SpoolUpdate => ({
  event_type,
  tag_spool,
  operacion: "ARM",
  worker: "MR(93)",
  ocupado_por: null,
  estado_detalle: "",
  version: "1",
  version_workflow: "v3.0",
  at: "2026-11-15T10:42:00-03:00",
});

describe("pages of the board", () => {
  const rows = Array.from({ length: 20 }, (_, i) => i);

  it("begin with those held longest and show everyone once", () => {
    const shown = [0, 1, 2].flatMap((turn) => pageOf(rows, 8, turn).rows);
    expect(shown).toEqual(rows);
    expect(pageOf(rows, 8, 0)).toMatchObject({ page: 1, pages: 3 });
  });

  it("start over after the last, also when it became shorter", () => {
    expect(pageOf(rows, 8, 3).page).toBe(1);
    expect(pageOf(rows.slice(0, 5), 8, 2)).toMatchObject({ page: 1, pages: 1 });
  });

  it("are one when there is nothing", () => {
    expect(pageOf([], 8, 5)).toEqual({ rows: [], page: 1, pages: 1 });
  });
});

describe("the last moves", () => {
  it("are few, newest first, whatever happens in a day", () => {
    let moves: readonly Move[] = [];
    for (let i = 0; i < 10_000; i++) moves = withMove(moves, update("TOMAR_SPOOL", `S-${i}`));
    expect(moves.map((move) => move.tag_spool)).toEqual(["S-9999", "S-9998"]);
    expect(moves).toHaveLength(MOVES_MAX);
  });

  it("leave out the single joints, and what nobody has a sentence for", () => {
    expect(withMove([], update("UNION_ARM_REGISTRADA"))).toEqual([]);
    expect(withMove([], update("SOMETHING_NEW"))).toEqual([]);
  });
});

describe("a long tag", () => {
  it("keeps its beginning and its end", () => {
    expect(shortTag("MK-1335-CW-25238-011")).toBe("MK-1335-CW-25238-011");
    const cut = shortTag("A".repeat(60) + "-CW-25238-011");
    expect(cut).toHaveLength(22);
    expect(cut.endsWith("-25238-011")).toBe(true);
  });
});
