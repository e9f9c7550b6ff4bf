import { describe, expect, it } from "vitest";

import { EventParser } from "./parse";

const one = 'id: 7\nevent: spool_update\ndata: {"tag_spool":"A"}\n\n';

describe("events of the stream", () => {
  it("are whole however the bytes were cut", () => {
    for (let cut = 0; cut <= one.length; cut++) {
      const parser = new EventParser();
      const found = [...parser.feed(one.slice(0, cut)), ...parser.feed(one.slice(cut))];
      expect(found).toEqual([{ id: "7", event: "spool_update", data: '{"tag_spool":"A"}' }]);
    }
  });

  it("come out in order, several at a time", () => {
    const found = new EventParser().feed(one + one.replace("7", "8"));
    expect(found.map((event) => event.id)).toEqual(["7", "8"]);
  });

  it("do not include the heartbeat", () => {
    expect(new EventParser().feed(": still here\n\n:\n\n" + one)).toHaveLength(1);
  });

  it("include the place to resume from, which has no data", () => {
    expect(new EventParser().feed("retry: 2000\nid: 41\n\n")).toEqual([{ id: "41", event: "message", data: "" }]);
  });

  it("understand CRLF and data of several lines", () => {
    expect(new EventParser().feed("data: a\r\ndata: b\r\n\r\n")[0]?.data).toBe("a\nb");
  });
});
