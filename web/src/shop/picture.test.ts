import { describe, expect, it } from "vitest";

import { plainJpeg, pointsIn, POINTS_MAX, problemOf } from "./picture";

const png = (width: number, height: number): Uint8Array => {
  const head = new Uint8Array(32);
  head.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const view = new DataView(head.buffer);
  view.setUint32(16, width);
  view.setUint32(20, height);
  return head;
};
const segment = (marker: number, content: number[]): number[] => [0xff, marker, 0, content.length + 2, ...content];
const JFIF = segment(0xe0, [0x4a, 0x46, 0x49, 0x46, 0]);
const SOF = segment(0xc0, [8, 0x04, 0x00, 0x06, 0x40, 3]);
const SCAN = [...segment(0xda, [1, 2]), 1, 2, 0xff, 0, 3, 0xff, 0xd9];
const PLAIN = new Uint8Array([0xff, 0xd8, ...JFIF, ...SOF, ...SCAN]);

describe("a picture that somebody chose", () => {
  it("is refused before it is decoded when its header says that it is huge", () => {
    expect(pointsIn(png(10_000, 10_000))).toBe(100_000_000);
    expect(problemOf(png(10_000, 10_000), 900)).toBe("too_large");
    expect(problemOf(png(4000, 3000), 900)).toBeNull();
    expect(problemOf(png(1, 1), 50_000_000)).toBe("too_large");
    expect(POINTS_MAX).toBeLessThan(100_000_000);
  });

  it("is measured behind the data of its camera", () => {
    const exif = segment(0xe1, [1, 2, 3, 4, 5]);
    expect(pointsIn(new Uint8Array([0xff, 0xd8, ...exif, ...SOF, ...SCAN]))).toBe(1600 * 1024);
    expect(pointsIn(new Uint8Array([0xff, 0xd8]))).toBeNull();
  });

  it("that is HEIC is said to be one", () => {
    const heic = new TextEncoder().encode("\0\0\0\x18ftypheic\0\0\0\0");
    expect(problemOf(heic, 900)).toBe("heic");
  });

  it("is sent without what the server would leave out, so that its hash is known here", () => {
    const extra = [...segment(0xe1, [9, 9]), ...segment(0xe2, [8]), ...segment(0xfe, [7])];
    const dressed = new Uint8Array([0xff, 0xd8, ...JFIF, ...extra, ...SOF, ...SCAN]);
    expect([...plainJpeg(dressed)]).toEqual([...PLAIN]);
    expect([...plainJpeg(PLAIN)]).toEqual([...PLAIN]);
  });
});
