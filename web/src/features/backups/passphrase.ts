// The passphrase of the keys' file: long enough, and typed the same twice. Pure.

export const PHRASE_CHARS_MIN = 12;

/** A key of `backups.phrase_wrong` in the catalogues; null: it can be used. */
export function wrongPhrase(phrase: string, again: string): "short" | "differ" | null {
  if (phrase.trim().length < PHRASE_CHARS_MIN) return "short";
  return phrase === again ? null : "differ";
}
