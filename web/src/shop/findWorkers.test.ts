import { describe, expect, it } from "vitest";

import type { Worker } from "@/api/types";
import { arrangeWorkers, findWorkers } from "./findWorkers";

const worker = (id: number, nombre: string, apellido: string): Worker => ({
  id,
  nombre,
  apellido,
  label: `${nombre[0]}${apellido[0]}(${id})`,
  roles: ["Armador"],
});
const crew = [worker(93, "Mauricio", "Rodríguez"), worker(94, "Juan", "Pérez"), worker(101, "Óscar", "Henríquez")];
const ids = (found: Worker[]): number[] => found.map((one) => one.id);

describe("finding oneself", () => {
  it("needs no accents, no capitals and no order", () => {
    expect(ids(findWorkers(crew, "rodriguez"))).toEqual([93]);
    expect(ids(findWorkers(crew, "henri OSC"))).toEqual([101]);
  });

  it("works by number and by label", () => {
    expect(ids(findWorkers(crew, "94"))).toEqual([94]);
    expect(ids(findWorkers(crew, "jp("))).toEqual([94]);
  });

  it("shows everybody when nothing is typed, by the name that is shown, and who was here lately first", () => {
    expect(ids(findWorkers(crew, "  "))).toHaveLength(3);
    expect(ids(arrangeWorkers(crew, []).all)).toEqual([94, 93, 101]);
    expect(ids(arrangeWorkers(crew, [94, 7, 93]).recent)).toEqual([94, 93]);
  });
});
