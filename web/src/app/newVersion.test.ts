import { describe, expect, it } from "vitest";

import { filesNamedIn, isNewerPage } from "./newVersion";

const page = (script: string, style = "/assets/index-a.css"): string =>
  `<head><script type="module" crossorigin src="${script}"></script>\n<link rel="stylesheet" crossorigin href="${style}"></head>`;

describe("a newer version", () => {
  const loaded = new Set(["/assets/index-a.js", "/assets/index-a.css", "/assets/floor-a.js"]);

  it("has another program, or only another look", () => {
    expect(isNewerPage(page("/assets/index-b.js"), loaded)).toBe(true);
    expect(isNewerPage(page("/assets/index-a.js", "/assets/index-b.css"), loaded)).toBe(true);
  });

  it("is not the one that runs here, whatever was loaded since", () => {
    expect(isNewerPage(page("/assets/index-a.js"), loaded)).toBe(false);
  });

  it("is not what a proxy says", () => {
    expect(filesNamedIn("<h1>502 Bad Gateway</h1>")).toEqual([]);
    expect(isNewerPage('<a href="/login">', loaded)).toBe(false);
  });
});
