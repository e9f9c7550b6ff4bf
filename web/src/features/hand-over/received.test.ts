import { expect, it } from "vitest";

import type { Relevo } from "@/api/relevos";
import { offersToShow } from "./received";

const relevo = (id: string, receptor_id: number | null): Relevo => ({ id, receptor_id }) as Relevo;
const ids = (relevos: readonly Relevo[]): string[] => relevos.map(({ id }) => id);
const received = [relevo("1", null), relevo("2", 7), relevo("3", null), relevo("4", 7)];

it("shows offers to the person before those to everybody, the oldest first", () => {
  expect(ids(offersToShow(received, new Set()))).toEqual(["2", "4", "1", "3"]);
});

it("leaves out those that the person put off", () => {
  expect(ids(offersToShow(received, new Set(["1", "2"])))).toEqual(["4", "3"]);
});
