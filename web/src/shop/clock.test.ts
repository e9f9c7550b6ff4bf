import { describe, expect, it } from "vitest";

import { ageOf, levelOf } from "./age";
import { clockText, dayOf, daysAfter, offsetOf, timeOf } from "./clock";

const at = (iso: string) => ({ at: Date.parse(iso), offsetMin: offsetOf(iso) });

describe("the shop's clock", () => {
  it("is the shop's, not this machine's", () => {
    const late = at("2026-11-15T23:59:00-03:00"); // in UTC it is tomorrow already
    expect([dayOf(late), timeOf(late)]).toEqual(["2026-11-15", "23:59"]);
    expect(dayOf({ ...late, at: late.at + 60_000 })).toBe("2026-11-16");
  });

  it("knows offsets on both sides of Greenwich", () => {
    expect([offsetOf("2026-11-15T10:00:00-03:00"), offsetOf("2026-11-15T10:00:00+05:30")]).toEqual([-180, 330]);
  });

  it("says the day only when it is another", () => {
    expect(clockText("2026-11-15T10:42:10-03:00", "2026-11-15")).toBe("10:42");
    expect(clockText("2026-11-14T08:24:58-03:00", "2026-11-15")).toBe("14-11 08:24");
  });

  it("counts days over months and the change of hour", () => {
    expect(daysAfter("2026-03-01", -1)).toBe("2026-02-28");
    expect(daysAfter("2026-09-05", 2)).toBe("2026-09-07");
  });
});

describe("how long somebody has had it", () => {
  const since = "2026-11-15T08:00:00-03:00";

  it("is between instants, also over the change of hour", () => {
    const night = ageOf("2026-04-04T23:30:00-03:00", at("2026-04-05T00:30:00-04:00"));
    expect(night).toMatchObject({ words: "hours", h: 2, mm: "00" });
  });

  it("is told in the largest fitting words", () => {
    expect(ageOf(since, at("2026-11-15T08:45:00-03:00"))).toMatchObject({ words: "minutes", m: 45 });
    expect(ageOf(since, at("2026-11-15T13:05:00-03:00"))).toMatchObject({ words: "hours", h: 5, mm: "05" });
    expect(ageOf(since, at("2026-11-17T11:00:00-03:00"))).toMatchObject({ words: "days", d: 2, h: 3 });
  });

  it("is long from five hours and over from eight", () => {
    expect([299, 300, 479, 480].map(levelOf)).toEqual(["fresh", "long", "long", "over"]);
  });

  it("is never negative when clocks disagree", () => {
    expect(ageOf(since, at("2026-11-15T07:59:00-03:00")).minutes).toBe(0);
  });
});
