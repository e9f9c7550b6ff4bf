import { describe, expect, it } from "vitest";

import { codeIn } from "./codes";

const TAG = "MK-1335-CW-25238-011";

describe("a code", () => {
  it("is a tag as it is", () => {
    expect(codeIn([TAG])).toEqual({ tags: [TAG], isAddress: false, text: TAG });
  });

  it("is the address of a spool, at whatever name the server had", () => {
    for (const address of [
      `https://carrete.local:8443/s/${TAG}`,
      `http://10.0.0.5/s/${TAG}/`,
      `https://shop.example/carrete/s/${TAG}?x=1`,
      `HTTPS://CARRETE.LOCAL/S/${TAG}`,
    ]) {
      expect(codeIn([address])).toEqual({ tags: [TAG], isAddress: true, text: TAG });
    }
  });

  it("is percent-encoded in an address, slashes too", () => {
    expect(codeIn(["https://carrete.local/s/L%C3%8DNEA%203%2FA.7"])?.tags).toEqual(["LÍNEA 3/A.7"]);
    expect(codeIn(["https://carrete.local/s/100%"])?.tags).toEqual(["100%"]);
  });

  it("is an address if one of the ways to read it is one", () => {
    expect(codeIn([`httpsÑ--carrete.local-s-${TAG}`, `https://carrete.local/s/${TAG}`])?.tags).toEqual([TAG]);
  });

  it("of another page is only a text", () => {
    expect(codeIn(["https://example.org/spools/1"])?.isAddress).toBe(false);
    expect(codeIn(["javascript://x/s/1"])?.isAddress).toBe(false);
  });

  it("is read without the kind of code that some readers send first", () => {
    expect(codeIn([`]Q1${TAG}`])?.tags).toEqual([TAG]);
  });

  it("without anything in it is none", () => {
    expect(codeIn(["  "])).toBeNull();
    expect(codeIn([])).toBeNull();
  });
});
