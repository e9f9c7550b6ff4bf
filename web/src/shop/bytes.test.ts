import { describe, expect, it } from "vitest";

import { bytesText } from "./bytes";

describe("the size of a file", () => {
  it.each([
    [0, "0 B"],
    [999, "999 B"],
    [1_000, "1 kB"],
    [12_400_000, "12.4 MB"],
    [3_260_000_000, "3.3 GB"],
  ])("%i bytes are %s", (bytes, text) => {
    expect(bytesText(bytes).replace("\u00a0", " ")).toBe(text);
  });
});
