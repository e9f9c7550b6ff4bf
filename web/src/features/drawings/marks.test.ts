import { describe, expect, test } from "vitest";

import { known, nextUnplaced, placed, placeIn, without } from "./marks";

const MARKS = [
  { n_union: 1, x: 10, y: 20 },
  { n_union: 3, x: 30, y: 40 },
];

describe("the numbers on a drawing", () => {
  test("a tap is a place in thousandths of the picture, however large it is shown", () => {
    expect(placeIn({ left: 100, top: 50, width: 400, height: 200 }, 200, 100)).toEqual({ x: 250, y: 250 });
    expect(placeIn({ left: 100, top: 50, width: 4000, height: 2000 }, 1100, 550)).toEqual({ x: 250, y: 250 });
  });

  test("a tap outside stays at the edge", () => {
    expect(placeIn({ left: 0, top: 0, width: 100, height: 100 }, -5, 300)).toEqual({ x: 0, y: 1000 });
  });

  test("placing a joint again moves it", () => {
    expect(placed(MARKS, 3, { x: 1.4, y: 2_000 })).toEqual([MARKS[0], { n_union: 3, x: 1, y: 1000 }]);
  });

  test("the next joint is the first after this one without a place", () => {
    expect(nextUnplaced([1, 2, 3, 4], MARKS, 3)).toBe(4);
    expect(nextUnplaced([1, 2, 3], MARKS, 3)).toBe(2);
    expect(nextUnplaced([1, 3], MARKS)).toBeNull();
  });

  test("numbers of joints that are gone are left out", () => {
    expect(known(MARKS, [3])).toEqual([MARKS[1]]);
    expect(without(MARKS, 3)).toEqual([MARKS[0]]);
  });
});
