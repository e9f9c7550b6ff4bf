import { describe, expect, it } from "vitest";

import { wrongPhrase } from "./passphrase";

describe("the passphrase of the keys", () => {
  it.each([
    ["", "", "short"],
    ["once letras", "once letras", "short"],
    ["cuatro palabras al azar", "cuatro palabras", "differ"],
    ["cuatro palabras al azar", "cuatro palabras al azar", null],
  ])("%s / %s: %s", (phrase, again, wrong) => {
    expect(wrongPhrase(phrase, again)).toBe(wrong);
  });
});
