import { describe, expect, it } from "vitest";

import { nextShown } from "./useShownWorkflow";

describe("the workflow whose buttons are shown", () => {
  it("is the card's from the first card on", () => {
    expect(nextShown(undefined, undefined, null)).toBeUndefined();
    expect(nextShown(undefined, "v4.0", null)).toBe("v4.0");
  });

  it("stays when the card changes, until the worker follows", () => {
    expect(nextShown("v3.0", "v4.0", null)).toBe("v3.0");
  });

  it("follows the card at once when a refusal has told of the change", () => {
    expect(nextShown("v3.0", "v4.0", "v4.0")).toBe("v4.0");
  });

  it("waits for the card when the refusal comes first", () => {
    expect(nextShown("v3.0", "v3.0", "v4.0")).toBe("v3.0");
  });
});
