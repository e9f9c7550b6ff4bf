import { describe, expect, it } from "vitest";

import { END_MS, READER_GAP_MS_MAX, ReaderDetector, type ReadTexts } from "./readerDetector";

const TAG = "MK-1335-CW-25238-011";
const press = (key: string) => ({ key, code: "", shift: false });

function typed(keys: readonly string[], gap_ms: number, detector = new ReaderDetector(), from = 1_000): ReadTexts | null {
  return keys.reduce<ReadTexts | null>((_, key, i) => detector.key(press(key), from + i * gap_ms), null);
}

const withEnter = (text: string): string[] => [...Array.from(text), "Enter"];

/** A reader that sends no Enter, and what is heard after the silence. */
function withoutEnter(text: string, gap_ms: number, silence_ms = END_MS): ReadTexts | null {
  const detector = new ReaderDetector();
  typed(Array.from(text), gap_ms, detector);
  return detector.afterSilence(1_000 + (text.length - 1) * gap_ms + silence_ms);
}

describe("a reader that ends with Enter", () => {
  it("is known by its pace, up to a thousand signs a second", () => {
    expect(typed(withEnter("0004821973"), 5)).toEqual(["0004821973"]);
    expect(typed(withEnter("CRED-93"), READER_GAP_MS_MAX)).toEqual(["CRED-93"]);
    expect(typed(withEnter(TAG), 1)).toEqual([TAG]);
    expect(typed(withEnter(TAG), 0)).toEqual([TAG]);
  });

  it("may end with Tab", () => {
    expect(typed([...Array.from(TAG), "Tab"], 2)).toEqual([TAG]);
  });

  it("is not a person at a keyboard", () => {
    expect(typed(withEnter("482915"), READER_GAP_MS_MAX + 1)).toBeNull();
    expect(typed(withEnter("luis perez"), 90)).toBeNull();
  });

  it("is not a lone Enter, nor a few keys at once", () => {
    expect(typed(withEnter(""), 5)).toBeNull();
    expect(typed(withEnter("12"), 5)).toBeNull();
  });

  it("does not take over what a person typed before", () => {
    const detector = new ReaderDetector();
    detector.key(press("x"), 0);
    expect(typed(withEnter("99887766"), 4, detector, 500)).toEqual(["99887766"]);
  });

  it("that hesitates in the middle is not heard, rather than heard by half", () => {
    const detector = new ReaderDetector();
    typed(Array.from("0004"), 5, detector, 10_000);
    expect(typed(withEnter("821973"), 5, detector, 10_100)).toBeNull();
  });

  it("may read the next code at once", () => {
    const detector = new ReaderDetector();
    typed(withEnter(TAG), 1, detector);
    expect(typed(withEnter("0004821973"), 1, detector, 1_100)).toEqual(["0004821973"]);
  });

  it("types capitals with Shift", () => {
    expect(typed(["Shift", "A", "Shift", "B", "1", "2", "Enter"], 3)).toEqual(["AB12"]);
  });
});

describe("a reader without Enter", () => {
  it("is heard after a silence", () => {
    expect(withoutEnter(TAG, 1)).toEqual([TAG]);
    expect(withoutEnter(TAG, 30)).toEqual([TAG]);
    expect(withoutEnter(TAG, 1, END_MS - 1)).toBeNull();
  });

  it("is not a person, however quick, nor a PIN", () => {
    expect(withoutEnter(TAG, 31)).toBeNull();
    expect(withoutEnter("482915", 1)).toBeNull();
  });

  it("is told once, and an Enter that comes late belongs to it", () => {
    const detector = new ReaderDetector();
    typed(Array.from(TAG), 1, detector);
    expect(detector.afterSilence(1_200)).toEqual([TAG]);
    expect(detector.afterSilence(1_300)).toBeNull();
    expect(detector.isLateEnter(press("Enter"), 1_700)).toBe(true);
    expect(detector.isLateEnter(press("Enter"), 1_701)).toBe(false);
  });

  it("is not a key that is held down", () => {
    const detector = new ReaderDetector();
    typed(Array.from(TAG), 1, detector);
    detector.forget();
    expect(detector.afterSilence(2_000)).toBeNull();
  });
});
