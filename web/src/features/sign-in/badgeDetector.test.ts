import { describe, expect, it } from "vitest";

import { BadgeDetector, READER_GAP_MS_MAX } from "./badgeDetector";
import { needsPin } from "./claim";

function typed(text: string, gap_ms: number, detector = new BadgeDetector(), from = 1_000): string | null {
  const keys = [...Array.from(text), "Enter"];
  return keys.reduce<string | null>((_, key, i) => detector.key(key, from + i * gap_ms), null);
}

describe("a badge reader", () => {
  it("is known by its pace and its Enter", () => {
    expect(typed("0004821973", 5)).toBe("0004821973");
    expect(typed("CRED-93", READER_GAP_MS_MAX)).toBe("CRED-93");
  });

  it("is not a person at a keyboard", () => {
    expect(typed("482915", READER_GAP_MS_MAX + 1)).toBeNull();
    expect(typed("luis perez", 90)).toBeNull();
  });

  it("is not a lone Enter, nor a few keys at once", () => {
    expect(typed("", 5)).toBeNull();
    expect(typed("12", 5)).toBeNull();
  });

  it("does not take over what a person typed before", () => {
    const detector = new BadgeDetector();
    detector.key("x", 0);
    expect(typed("99887766", 4, detector, 500)).toBe("99887766");
  });

  it("that hesitates in the middle is not heard, rather than heard by half", () => {
    const detector = new BadgeDetector();
    typed("0004", 5, detector);
    for (const [i, key] of ["0", "0", "0", "4"].entries()) detector.key(key, 10_000 + i * 5);
    expect(typed("821973", 5, detector, 10_100)).toBeNull();
  });

  it("types capitals with Shift", () => {
    const detector = new BadgeDetector();
    const keys = ["Shift", "A", "Shift", "B", "1", "2", "Enter"];
    expect(keys.reduce<string | null>((_, key, i) => detector.key(key, i * 3), null)).toBe("AB12");
  });
});

describe("who types a PIN", () => {
  const worker = (...roles: ("Armador" | "Supervisor")[]) => ({ worker: { id: 1, nombre: "A", apellido: "B", label: "AB(1)", roles } });
  it("is everybody, and in mode device only who has privileges", () => {
    expect(needsPin("pin", worker("Armador"))).toBe(true);
    expect(needsPin("device", worker("Armador"))).toBe(false);
    expect(needsPin("device", worker("Armador", "Supervisor"))).toBe(true);
    expect(needsPin("device", { badge: "1234" })).toBe(false);
    expect(needsPin("device", { badge: "1234", withPin: true })).toBe(true);
  });
});
