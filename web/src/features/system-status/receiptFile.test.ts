import { describe, expect, it } from "vitest";

import { piecesOf } from "./receiptFile";

const receipt = (seq: number) => ({ seq, hash: "ab".repeat(32), firma: "f", n: "x", event_seq: null });

describe("a file of receipts", () => {
  it("is sent in pieces, without what the server does not know", () => {
    const recibos = Array.from({ length: 700 }, (_, n) => receipt(n));
    const pieces = piecesOf(JSON.stringify({ "carrete-recibos": recibos, dispositivo: "Tablet 3" }));
    expect(pieces?.map((piece) => piece.recibos.length)).toEqual([500, 200]);
    expect(pieces?.[0]?.recibos[0]).toEqual({ seq: 0, hash: "ab".repeat(32), firma: "f" });
    expect(pieces?.[1]?.dispositivo).toBe("Tablet 3");
  });

  it("is none when it is something else", () => {
    for (const text of ["", "{}", "[]", '{"carrete-recibos": 1}']) expect(piecesOf(text)).toBeNull();
  });
});
