import { describe, expect, it } from "vitest";

import { reportReceipt } from "@/api/receipt-listener";
import { TabletDatabase } from "@/storage/database";
import { keepReceipts, receipts, receiptsFile, receiptsFileName, RECEIPTS_KEPT_MAX, ReceiptStore } from "./receipts";

const receipt = (seq: number) => ({ seq, hash: "ab".repeat(32), firma: "f" });
const store = (): ReceiptStore => new ReceiptStore(new TabletDatabase(() => null), () => new Date("2026-11-17T10:00:00Z"));

describe("the receipts of this tablet", () => {
  it("say what was acknowledged and when", async () => {
    const kept = store();
    const answer = { event_seq: 7, version: "v", tag_spool: "MK-1", operacion: "ARM", action_taken: "TOMAR" };
    await kept.keep(receipt(7), answer);
    const [found] = await kept.all();
    expect(found).toMatchObject({ ...receipt(7), event_seq: 7, version: "v", tag_spool: "MK-1", accion: "TOMAR", en: "2026-11-17T10:00:00.000Z" });
  });

  it("are the last thousand", async () => {
    const kept = store();
    for (let seq = 1; seq <= RECEIPTS_KEPT_MAX + 5; seq++) await kept.keep(receipt(seq), {});
    const seqs = (await kept.all()).map(({ seq }) => seq);
    expect([seqs.length, seqs[0], seqs.at(-1)]).toEqual([RECEIPTS_KEPT_MAX, 6, RECEIPTS_KEPT_MAX + 5]);
  });

  it("are kept of every answer that has one, and of no other", async () => {
    const stop = keepReceipts();
    const before = (await receipts.all()).length;
    reportReceipt({ success: true, recibo: receipt(1) });
    for (const answer of [null, "x", {}, { recibo: null }, { recibo: { seq: 1 } }]) reportReceipt(answer);
    await new Promise((done) => setTimeout(done, 10));
    stop();
    expect((await receipts.all()).length).toBe(before + 1);
  });

  it("make a file that the verifier reads", async () => {
    const kept = store();
    await kept.keep(receipt(3), {});
    const file = JSON.parse(receiptsFile(await kept.all(), "Tablet 3")) as Record<string, unknown>;
    expect(file["dispositivo"]).toBe("Tablet 3");
    expect(file["carrete-recibos"]).toEqual([{ ...receipt(3), en: "2026-11-17T10:00:00.000Z" }]);
  });

  it("are in a file that has the name of the tablet", () => {
    expect(receiptsFileName("Tablet nave 1", "2026-11-17")).toBe("recibos-Tablet-nave-1-2026-11-17.json");
    expect(receiptsFileName("../A\u0301rea / 2.", "2026-11-17")).toBe("recibos-Área-2-2026-11-17.json");
    expect(receiptsFileName(undefined, "2026-11-17")).toBe("recibos-2026-11-17.json");
  });
});
