import { describe, expect, it } from "vitest";

import type { FirstStepsAnswer, StepName } from "@/api/pasos";
import { doneCount, firstOpen, stepAfter, STEPS } from "./steps";

const after = (...done: StepName[]): FirstStepsAnswer => ({
  pasos: STEPS.map((paso) => ({ paso, listo: done.includes(paso) })),
  terminado: done.length === STEPS.length,
});

describe("the first start", () => {
  it("goes on with the first step that is not done", () => {
    expect(firstOpen(after("administrador"))).toBe("taller");
    expect(firstOpen(after("administrador", "spools"))).toBe("taller"); // the shop was left for later
    expect(firstOpen(after(...STEPS))).toBeNull();
  });

  it("counts what is done", () => {
    expect(doneCount(after("administrador", "tablet"))).toBe(2);
  });

  it("leads from one step to the next", () => {
    expect(stepAfter("taller")).toBe("spools");
    expect(stepAfter("tablet")).toBeNull();
  });
});
