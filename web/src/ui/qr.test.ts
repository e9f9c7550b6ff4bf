import { describe, expect, it } from "vitest";

import { drawn, qrCode } from "./qr";
import { versionFor } from "./qrData";

/** "carrete", version 1, level M, mask 2, by Nayuki's QR code generator. */
const REFERENCE = [
  ...["1fcb7f", "104541", "175d5d", "17555d", "17515d", "105641", "1fd57f"],
  ...["1400", "17c67c", "49fe5", "1f616e", "159fcf", "76508", "1d35"],
  ...["1fc682", "10582f", "175a8a", "1757d4", "175940", "1043cc", "1fd102"],
];

/** Each row as a hexadecimal number. */
const rows = (modules: readonly (readonly boolean[])[]): string[] =>
  modules.map((row) => parseInt(row.map((dark) => (dark ? "1" : "0")).join(""), 2).toString(16));

describe("a QR code", () => {
  it("is the one that the reference implementation draws", () => {
    expect(rows(drawn(new TextEncoder().encode("carrete"), 1, 2))).toEqual(REFERENCE);
  });

  it("grows with the address", () => {
    expect([14, 15, 62, 63, 213].map(versionFor)).toEqual([1, 2, 4, 5, 10]);
    expect(qrCode("https://carrete.taller.cl:8443/inscribir#AbCdEfGhIjKlMnOpQrStUvWxYz012345")).toHaveLength(37);
    expect(() => versionFor(214)).toThrow("too long");
  });
});
