import { describe, expect, it } from "vitest";

import { webhookState } from "./webhooks";

const at = (activo: boolean, motivo_desactivado: string | null, falla: string | null) =>
  webhookState({ activo, motivo_desactivado, falla });

describe("an address for notices", () => {
  it("works until an attempt fails", () => {
    expect(at(true, null, null)).toBe("works");
    expect(at(true, null, "el receptor respondió 500")).toBe("fails");
  });

  it("is off by a person, or because its receiver is gone", () => {
    expect(at(false, null, "el receptor respondió 500")).toBe("off");
    expect(at(false, "el receptor respondió 410", "el receptor respondió 410")).toBe("stopped");
  });
});
