import { describe, expect, it } from "vitest";

import { durationOf } from "./duration";

describe("a length of time", () => {
  it("is in hours up to two days, then in days, with the comma of its language", () => {
    expect(durationOf(26.5, "es")).toEqual({ unit: "hours", n: "26,5" });
    expect(durationOf(50.4, "es")).toEqual({ unit: "days", n: "2,1" });
    expect(durationOf(50.4, "en")).toEqual({ unit: "days", n: "2.1" });
    expect(durationOf(0, "es")).toEqual({ unit: "hours", n: "0" });
  });
});
