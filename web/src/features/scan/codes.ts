// What is in a code: a tag as it is, or the address of a spool's page (`…/s/{tag}`), at whatever name the server had when the label was
// printed. Whether a text is a spool or a badge, only the server knows. Pure.
import type { ReadTexts } from "./readerDetector";

const ADDRESS = /^https?:\/\/[^/\s]+\/(?:[^?#\s]*\/)?s\/([^/?#\s]+)\/?(?:[?#].*)?$/i;
/** Readers can be set to send the kind of code first: `]Q1`, `]d2`, `]C0`. */
const KIND_OF_CODE = /^\][A-Za-z][0-9A-Za-z]/;

export interface ReadCode {
  /** Tags to look for, the most likely first. */
  tags: readonly string[];
  /** The code names a spool by its address: it is no badge. */
  isAddress: boolean;
  /** What was read, for people. */
  text: string;
}

/** Null: there is nothing in it. */
export function codeIn(texts: ReadTexts): ReadCode | null {
  const bare = texts.map((text) => text.replace(KIND_OF_CODE, "").trim()).filter((text) => text !== "");
  const [text] = bare;
  if (text === undefined) return null;
  const addressed = bare.map(addressedTag).find((tag) => tag !== null) ?? null;
  return addressed === null ? { tags: bare, isAddress: false, text } : { tags: [addressed], isAddress: true, text: addressed };
}

function addressedTag(text: string): string | null {
  const encoded = ADDRESS.exec(text)?.[1];
  if (encoded === undefined) return null;
  try {
    return decodeURIComponent(encoded).trim() || null;
  } catch {
    return encoded; // not percent-encoded by us
  }
}
