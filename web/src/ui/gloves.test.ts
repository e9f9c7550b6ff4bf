import { expect, it } from "vitest";

import { AGAIN_MS_MAX, AGAIN_PX_MAX, isAgain } from "./gloves";

const first = { at: 1_000, x: 100, y: 100 };

it("takes a second tap of a glove for the first one", () => {
  expect(isAgain({ at: 1_150, x: 108, y: 95 }, first)).toBe(true);
});

it("hears a tap that comes later, or elsewhere, or first", () => {
  expect(isAgain({ at: first.at + AGAIN_MS_MAX + 1, x: 100, y: 100 }, first)).toBe(false);
  expect(isAgain({ at: 1_150, x: 100, y: 100 + AGAIN_PX_MAX + 1 }, first)).toBe(false);
  expect(isAgain(first, null)).toBe(false);
});
