// Which code a person means when the camera sees several, as on a sheet of labels: the one in the middle of the picture. Pure.

export interface FoundCode {
  rawValue: string;
  boundingBox: Pick<DOMRectReadOnly, "x" | "y" | "width" | "height">;
}

/** The texts of the codes, that in the middle first. */
export function fromTheMiddle(found: readonly FoundCode[], width: number, height: number): string[] {
  const away = ({ boundingBox: box }: FoundCode): number =>
    Math.hypot(box.x + box.width / 2 - width / 2, box.y + box.height / 2 - height / 2);
  return found
    .filter(({ rawValue }) => rawValue !== "")
    .sort((a, b) => away(a) - away(b))
    .map(({ rawValue }) => rawValue);
}
