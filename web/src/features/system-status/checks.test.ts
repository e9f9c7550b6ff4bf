import { describe, expect, it } from "vitest";

import type { SystemCheck } from "@/api/sistema";
import { isReachable, needsSomebody, worstFirst } from "./checks";

const check = (nivel: SystemCheck["nivel"], que: string, que_hacer = ""): SystemCheck => ({ nivel, que, que_hacer });

describe("the checks of the installation", () => {
  it("shows the worst first and keeps the order otherwise", () => {
    const checks = [check("bien", "a"), check("aviso", "b"), check("error", "c"), check("bien", "d")];
    expect(worstFirst(checks).map(({ que }) => que)).toEqual(["c", "b", "a", "d"]);
  });

  it("offers tablets no address of this machine alone", () => {
    const addresses = ["https://carrete.local:8443", "https://192.168.1.20:8443", "http://127.0.0.1:8000", "http://[::1]:8000"];
    expect(addresses.filter(isReachable)).toEqual(addresses.slice(0, 2));
  });

  it("calls somebody only where something is to be done", () => {
    expect(needsSomebody(check("error", "disk", "make room"))).toBe(true);
    expect(needsSomebody(check("aviso", "two processes"))).toBe(false);
    expect(needsSomebody(check("aviso", "old backup", "make one"))).toBe(true);
    expect(needsSomebody(check("bien", "clock"))).toBe(false);
  });
});
