// Where a tag differs from what was read, for people's eyes. Pure.

export interface Part {
  text: string;
  differs: boolean;
}

/** The parts of `tag`, those that differ from `read` marked. Equal lengths: sign by sign; else all between the equal ends. */
export function differences(tag: string, read: string): Part[] {
  const a = Array.from(tag);
  const b = Array.from(read);
  if (a.length === b.length) return joined(a.map((sign, i) => ({ text: sign, differs: sign !== b[i] })));
  const shorter = Math.min(a.length, b.length);
  let head = 0;
  while (head < shorter && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  return joined(a.map((sign, i) => ({ text: sign, differs: i >= head && i < a.length - tail })));
}

function joined(signs: readonly Part[]): Part[] {
  const parts: Part[] = [];
  for (const sign of signs) {
    const last = parts.at(-1);
    if (last?.differs === sign.differs) last.text += sign.text;
    else parts.push({ ...sign });
  }
  return parts;
}
