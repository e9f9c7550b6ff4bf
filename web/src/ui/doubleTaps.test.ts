import { expect, it } from "vitest";

import { DOUBLE_TAP_MS_MAX, DOUBLE_TAP_PX_MAX, isDoubleTap } from "./doubleTaps";

const first = { at: 1_000, x: 100, y: 100 };

it("takes a second tap of a glove for the first one", () => {
  expect(isDoubleTap({ at: 1_150, x: 108, y: 95 }, first)).toBe(true);
});

it("hears a tap that comes later, or elsewhere, or first", () => {
  expect(isDoubleTap({ at: first.at + DOUBLE_TAP_MS_MAX + 1, x: 100, y: 100 }, first)).toBe(false);
  expect(isDoubleTap({ at: 1_150, x: 100, y: 100 + DOUBLE_TAP_PX_MAX + 1 }, first)).toBe(false);
  expect(isDoubleTap(first, null)).toBe(false);
});
