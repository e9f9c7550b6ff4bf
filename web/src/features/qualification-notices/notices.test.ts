import { describe, expect, it } from "vitest";

import { NOTICES_MAX, shownNotices, urgencyOf } from "./notices";

describe("the card about qualifications", () => {
  it("tells the last day itself apart from the days before and after", () => {
    expect([-1, 0, 1].map((dias) => urgencyOf({ dias }))).toEqual(["ended", "today", "soon"]);
  });

  it("names the first ones and counts the others", () => {
    const all = Array.from({ length: NOTICES_MAX + 3 }, (_, n) => n);
    expect(shownNotices(all)).toEqual({ shown: all.slice(0, NOTICES_MAX), more: 3 });
    expect(shownNotices([1, 2])).toEqual({ shown: [1, 2], more: 0 });
  });
});
