import { describe, expect, it } from "vitest";

import { tokenState } from "./tokens";

const NOW = Date.parse("2026-11-16T12:00:00-03:00");
const at = (vence: string | null, revocado_en: string | null = null) => tokenState({ vence, revocado_en }, NOW);

describe("a token", () => {
  it("works until it ends, and says so a month before", () => {
    expect(at("2027-11-16T12:00:00-03:00")).toBe("works");
    expect(at("2026-12-01T12:00:00-03:00")).toBe("soon");
    expect(at("2026-11-16T12:00:00-03:00")).toBe("over");
    expect(at(null)).toBe("works");
  });

  it("is revoked for good", () => {
    expect(at("2027-11-16T12:00:00-03:00", "2026-11-01T08:00:00-03:00")).toBe("revoked");
  });
});
