import { describe, expect, it } from "vitest";

import { possibleTexts, type PressedKey } from "./keyboardLayouts";

const key = (key: string, code: string, shift = false): PressedKey => ({ key, code, shift });

describe("the keys of a reader", () => {
  it("mean a dash where the layouts differ", () => {
    const usReaderOnSpanish = [key("A", "KeyA", true), key("'", "Minus"), key("1", "Digit1")];
    expect(possibleTexts(usReaderOnSpanish)).toEqual(["A'1", "A-1"]);
    const spanishReaderOnUs = [key("A", "KeyA", true), key("/", "Slash"), key("1", "Digit1")];
    expect(possibleTexts(spanishReaderOnUs)).toEqual(["A/1", "A-1"]);
  });

  it("mean the address of a spool", () => {
    const typed = [key("Ñ", "Semicolon", true), key("-", "Slash"), key("-", "Slash"), key("s", "KeyS"), key("-", "Slash")];
    expect(possibleTexts(typed)).toContain("://s/");
  });

  it("mean what was read although Caps Lock is on or the key is a dead one", () => {
    expect(possibleTexts([key("m", "KeyM", true), key("K", "KeyK")])).toEqual(["mK", "Mk"]);
    expect(possibleTexts([key("a", "KeyA"), key("Dead", "Quote")])).toEqual(["a", "a'"]);
  });

  it("mean what they say where the browser tells no positions", () => {
    expect(possibleTexts([key("A", ""), key("'", ""), key("1", "")])).toEqual(["A'1"]);
  });

  it("of the number pad are digits", () => {
    expect(possibleTexts([key("1", "Numpad1"), key("-", "NumpadSubtract")])).toEqual(["1-"]);
  });
});
