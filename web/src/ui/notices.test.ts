import { describe, expect, it } from "vitest";

import { noticesFor, withNotice, type Notice } from "./notices";

const notice = (id: number, text: string, person: number | null): Notice => ({ id, tone: "plain", text, stays: true, person });
const texts = (notices: readonly Notice[], person: number | null): string[] => noticesFor(notices, person).map(({ text }) => text);

describe("whom a notice is shown to", () => {
  const notices = [notice(1, "about LC's spool", 95), notice(2, "about the tablet", null), notice(3, "about MR's spool", 93)];

  it("is the person who was here when it came, and nobody who comes after", () => {
    expect(texts(notices, 95)).toEqual(["about LC's spool", "about the tablet"]);
    expect(texts(notices, 93)).toEqual(["about the tablet", "about MR's spool"]);
    expect(texts(notices, null)).toEqual(["about the tablet"]);
  });

  it("is each of two people who are told the same", () => {
    const both = withNotice(withNotice([notice(1, "sent", 95)], notice(2, "sent", 93)), notice(3, "sent", 93));
    expect(both.map(({ id }) => id)).toEqual([1, 3]);
  });
});
