import { describe, expect, it } from "vitest";

import { isUsable, outdatedCaches, routeOf, storedFile } from "./routing";

const HERE = "https://carrete.local";
const FILES = new Set(["/index.html", "/manifest.webmanifest", "/assets/main-1.js"]);
const asked = (path: string, more: Partial<{ method: string; mode: string }> = {}) =>
  routeOf({ method: "GET", mode: "cors", url: new URL(path, HERE).href, ...more }, HERE, FILES);

describe("the service worker", () => {
  it.each(["/api", "/api/spools", "/api/sse/stream", "/api/offline/spools?worker_id=1", "/api/etiquetas/pdf", "/metrics"])(
    "never answers for the server: %s",
    (path) => {
      expect(asked(path)).toBe("network");
      expect(asked(path, { mode: "navigate" })).toBe("network");
    },
  );

  it("answers for the screens, whatever is in their address", () => {
    for (const path of ["/", "/trabajo/ARM", "/trabajo/ARM/MK-1.2", "/s/MK-1335", "/apilado"])
      expect(asked(path, { mode: "navigate" })).toBe("page");
  });

  it("answers for the app's files, of this version and of the one before", () => {
    for (const path of ["/assets/main-1.js", "/assets/main-0.js", "/manifest.webmanifest"]) expect(asked(path)).toBe("file");
  });

  it("lets the page itself ask for a newer version", () => {
    expect(asked("/index.html")).toBe("network");
  });

  it("leaves alone what changes something, and other servers", () => {
    expect(asked("/assets/main-1.js", { method: "POST" })).toBe("network");
    expect(asked("https://example.org/assets/main-1.js")).toBe("network");
  });

  it("prefers its stored page to the error of a proxy", () => {
    expect(isUsable({ ok: true, type: "basic" })).toBe(true);
    expect(isUsable({ ok: false, type: "basic" })).toBe(false);
    expect(isUsable({ ok: true, type: "opaqueredirect" })).toBe(false);
  });

  it("keeps the files of the version before, and no older ones", () => {
    expect(outdatedCaches(["carrete-1", "carrete-2", "carrete-3"], "carrete-3")).toEqual(["carrete-1"]);
    expect(outdatedCaches(["other", "carrete-3"], "carrete-3")).toEqual([]);
  });

  it("takes a file from this version's cache before an older one's", async () => {
    const stores = new Map([["carrete-2", new Map([["/icon.svg", "old"], ["/assets/main-0.js", "before"]])], ["carrete-3", new Map([["/icon.svg", "new"]])]]);
    const matchIn = (name: string, path: string) => Promise.resolve(stores.get(name)?.get(path));
    const open = (name: string) => Promise.resolve({ match: (path: string) => matchIn(name, path) });
    const match = async (path: string) => (await matchIn("carrete-2", path)) ?? matchIn("carrete-3", path); // as browsers do: the oldest first
    const caches = { open, match } as unknown as CacheStorage;
    const found = (path: string) => storedFile(caches, "carrete-3", path as unknown as Request);
    expect(await found("/icon.svg")).toBe("new");
    expect(await found("/assets/main-0.js")).toBe("before");
    expect(await found("/assets/none.js")).toBeUndefined();
  });
});
