// Long tags on a wall: the beginning and the end are what people know a spool by.

export const TAG_CHARS_MAX = 22;
const END_CHARS = 12;

export function short(tag: string, chars = TAG_CHARS_MAX): string {
  const letters = Array.from(tag);
  if (letters.length <= chars) return tag;
  return `${letters.slice(0, chars - END_CHARS - 1).join("")}…${letters.slice(-END_CHARS).join("")}`;
}
