import { describe, expect, it } from "vitest";

import { differences } from "./differences";

const shown = (tag: string, read: string): string => differences(tag, read).map(({ text, differs }) => (differs ? `[${text}]` : text)).join("");

describe("tags that are nearly the same", () => {
  it("are marked sign by sign", () => {
    expect(shown("MK-011", "MK-O11")).toBe("MK-[0]11");
    expect(shown("MK-011", "MK-O12")).toBe("MK-[0]1[1]");
    expect(shown("MK-25238", "MK-25283")).toBe("MK-252[38]");
  });

  it("are marked where one has more signs", () => {
    expect(shown("MK-0112", "MK-012")).toBe("MK-01[1]2");
    expect(shown("MK-01", "MK-011")).toBe("MK-01");
    expect(shown("MK-011", "MK-01")).toBe("MK-01[1]");
    expect(shown("MK-X9-1", "MK-0-1")).toBe("MK-[X9]-1");
  });

  it("are not marked when they are equal", () => {
    expect(shown("MK-011", "MK-011")).toBe("MK-011");
  });
});
