import { describe, expect, it } from "vitest";

import { jointsOf } from "./joints";

describe("the joints of examinations", () => {
  it("are counted once each, whatever number of methods rejected them", () => {
    const exams = [
      { tag_spool: "MK-1", n_union: 1 },
      { tag_spool: "MK-1", n_union: 1 },
      { tag_spool: "MK-1", n_union: 2 },
      { tag_spool: "MK-2", n_union: null },
    ];
    expect(jointsOf(exams)).toBe(3);
    expect(jointsOf([])).toBe(0);
  });
});
