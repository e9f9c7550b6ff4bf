// Where the numbers of joints are on a drawing: thousandths of its width and height.
import type { JointMark } from "@/api/planos";

const WHOLE = 1_000;
export const CENTRE = WHOLE / 2;

export interface Place {
  x: number;
  y: number;
}

interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

const within = (value: number): number => Math.min(WHOLE, Math.max(0, Math.round(value)));

/** The place of a point of the screen in a picture that is shown in this box. */
export const placeIn = (box: Box, clientX: number, clientY: number): Place => ({
  x: within(((clientX - box.left) / box.width) * WHOLE),
  y: within(((clientY - box.top) / box.height) * WHOLE),
});

/** With this joint at this place, whether it had one before or not. */
export const placed = (marks: readonly JointMark[], n_union: number, { x, y }: Place): JointMark[] => [...without(marks, n_union), { n_union, x: within(x), y: within(y) }];

export const without = (marks: readonly JointMark[], n_union: number): JointMark[] => marks.filter((mark) => mark.n_union !== n_union);

/** The first joint after this one that has no place yet, else the first of all; null when every joint has one. */
export function nextUnplaced(joints: readonly number[], marks: readonly JointMark[], after = 0): number | null {
  const open = joints.filter((n) => !marks.some((mark) => mark.n_union === n));
  return open.find((n) => n > after) ?? open[0] ?? null;
}

/** The marks of joints that the spool still has. */
export const known = (marks: readonly JointMark[], joints: readonly number[]): JointMark[] => marks.filter((mark) => joints.includes(mark.n_union));
