import { expect, it } from "vitest";

import { CallKeys } from "./callKeys";

it("repeats a hand-over without an answer under its key, and another one under another", () => {
  let made = 0;
  const keys = new CallKeys(() => `key ${++made}`);
  const body = { tag_spool: "A", receptor_id: 7 };
  expect(keys.of(body)).toBe("key 1");
  expect(keys.of({ ...body })).toBe("key 1");
  expect(keys.of({ ...body, receptor_id: 8 })).toBe("key 2");
  keys.answered(body);
  expect(keys.of(body)).toBe("key 3");
});
