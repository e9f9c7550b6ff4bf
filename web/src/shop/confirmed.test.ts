import { QueryClient } from "@tanstack/react-query";
import { beforeEach, describe, expect, it, vi } from "vitest";

import type { SpoolCard, Worker } from "@/api/types";
import { offlineCopy } from "@/offline/copy";
import type { Tap } from "@/taps/tap";
import { showAsDone } from "./confirmed";
import { keys } from "./reads";

const MR: Worker = { id: 93, nombre: "María", apellido: "Rojas", label: "MR(93)", roles: ["Armador"] };
const joint = (n_union: number) => ({ n_union, tipo_union: "BW", arm_fecha_fin: null, sol_fecha_fin: null });
const held = (tag_spool: string): SpoolCard =>
  ({ tag_spool, version_workflow: "v4.0", ocupado_por_id: 93, operacion_actual: "ARM", arm: "EN_PROGRESO", total_uniones: 2, uniones: [joint(1), joint(2)], acciones: [{ accion: "FINALIZAR", operacion: "ARM" }] }) as unknown as SpoolCard;
const tap = (path: string, accion: "FINALIZAR" | "COMPLETAR", tags: string[], body: object): Tap => ({
  key: "k", path, body: { worker_id: 93, ...body }, about: { accion, operacion: "ARM", tags, worker: "MR(93)" }, at: 0, state: "sending",
});
const finishing = tap("/api/v4/occupation/finalizar", "FINALIZAR", ["A"], { selected_unions: [1] });

describe("a tap that the server has done", () => {
  const put = vi.spyOn(offlineCopy, "put").mockImplementation(() => undefined);
  const cache = new QueryClient();
  const shown = (tag: string) => cache.getQueryData<SpoolCard>(keys.card(tag, 93));
  beforeEach(() => {
    put.mockClear();
    const cards = new Map(["A", "B"].map((tag) => [tag, held(tag)]));
    for (const [tag, card] of cards) cache.setQueryData(keys.card(tag, 93), card);
    vi.spyOn(offlineCopy, "current").mockReturnValue({ worker_id: 93, cards, seenAt: 0, leftOut: 0, armOnly: ["FW"] });
  });

  it("shows in the card and in the copy before the card is read again, also when it was no chain", () => {
    showAsDone(cache, finishing, { kind: "done", answer: { message: "hecho" } }, MR);
    expect(shown("A")).toMatchObject({ ocupado_por_id: null, arm: "PAUSADO", uniones: [{ arm_worker: "MR(93)" }, { arm_fecha_fin: null }] });
    expect(put.mock.calls.map(([, card]) => [card.tag_spool, card.ocupado_por_id])).toEqual([["A", null]]);
  });

  it("for several spools shows on those that were done", () => {
    const batch = tap("/api/occupation/batch-completar", "COMPLETAR", ["A", "B"], { tag_spools: ["A", "B"] });
    const details = [{ tag_spool: "A", success: false }, { tag_spool: "B", success: true }];
    showAsDone(cache, batch, { kind: "done", answer: { details } }, MR);
    expect(shown("A")).toMatchObject({ ocupado_por_id: 93 });
    expect(shown("B")).toMatchObject({ ocupado_por_id: null, arm: "COMPLETADO" });
  });

  it("is another's, or was refused: nothing is shown as done", () => {
    showAsDone(cache, finishing, { kind: "dropped" }, MR);
    showAsDone(cache, finishing, { kind: "done", answer: {} }, { ...MR, id: 7 });
    expect(shown("A")).toMatchObject({ ocupado_por_id: 93 });
    expect(put).not.toHaveBeenCalled();
  });
});
