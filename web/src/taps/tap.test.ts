import { expect, it } from "vitest";

import { isWorkOn, type TapDetails } from "./tap";

const about = (accion: TapDetails["accion"]): { about: TapDetails } => ({ about: { accion, operacion: "ARM", tags: ["A"], worker: "MR(93)" } });

it("lets the holder go on while a note or a Sigo yo waits, and not while work waits", () => {
  expect(isWorkOn(about("PAUSAR"), "A")).toBe(true);
  expect(isWorkOn(about("PAUSAR"), "B")).toBe(false);
  expect(isWorkOn(about("NOTA"), "A")).toBe(false);
  expect(isWorkOn(about("SEGUIR"), "A")).toBe(false);
});
