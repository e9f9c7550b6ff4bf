import { describe, expect, it } from "vitest";

import { fromTheMiddle } from "./pictureMiddle";

const code = (rawValue: string, x: number, y: number) => ({ rawValue, boundingBox: { x, y, width: 80, height: 80 } });

describe("a camera that sees several codes", () => {
  it("means the one in the middle", () => {
    const found = [code("left", 100, 320), code("below", 600, 600), code("middle", 590, 310), code("", 600, 320)];
    expect(fromTheMiddle(found, 1_280, 720)).toEqual(["middle", "below", "left"]);
  });

  it("and sees none, means none", () => {
    expect(fromTheMiddle([], 1_280, 720)).toEqual([]);
  });
});
