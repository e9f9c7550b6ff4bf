// Shortens a long tag for the wall board; people recognise a spool by the beginning and the end of its tag.

export const TAG_CHARS_MAX = 22;
const END_CHARS = 12;

export function shortTag(tag: string, chars = TAG_CHARS_MAX): string {
  const letters = Array.from(tag);
  if (letters.length <= chars) return tag;
  return `${letters.slice(0, chars - END_CHARS - 1).join("")}…${letters.slice(-END_CHARS).join("")}`;
}
