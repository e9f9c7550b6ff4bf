import { describe, expect, it } from "vitest";

import type { ChainStep } from "@/api/cadena";
import type { Worker } from "@/api/types";
import { TapQueue } from "@/taps/queue";
import { tapStorageIn } from "@/taps/tapStorage";
import { batchSteps, worstOf } from "./batchSteps";

const MR: Worker = { id: 93, nombre: "María", apellido: "Rojas", label: "MR(93)", roles: ["Armador"] };
const step = (accion: ChainStep["accion"]): ChainStep => ({ accion, operacion: "ARM" });

describe("a batch without a connection", () => {
  it("becomes part of what was tapped before on each of its spools, so it does not overtake it", async () => {
    const entries = new Map<string, string>();
    const storage = {
      names: () => [...entries.keys()],
      get: (name: string) => entries.get(name) ?? null,
      set: (name: string, value: string) => void entries.set(name, value),
      remove: (name: string) => void entries.delete(name),
    };
    const queue = new TapQueue(() => Promise.reject(new Error("cut")), tapStorageIn(storage), Date.now, () => false);
    for (const one of batchSteps(step("TOMAR"), ["A"], MR)) await queue.step(one);
    const results = await Promise.all(batchSteps(step("COMPLETAR"), ["A", "B"], MR).map((one) => queue.step(one)));
    expect(worstOf(results)).toBe("saved");
    expect(queue.taps().map(({ body, about }) => [about.tags, (body as { pasos: ChainStep[] }).pasos])).toEqual([
      [["A"], [step("TOMAR"), step("COMPLETAR")]],
      [["B"], [step("COMPLETAR")]],
    ]);
  });

  it("that was not kept whole says so", () => {
    expect(worstOf(["saved", "memory", "full"])).toBe("full");
    expect(worstOf(["saved", "memory"])).toBe("memory");
  });
});
