// Tells a badge reader from a person at a keyboard: a reader types the whole code without a pause and ends with Enter. Pure.

/** The longest pause between two keys of a reader; a person's fingers are slower. */
export const READER_GAP_MS_MAX = 50;
/** Keys before a reader's first one: a code that follows something else at once may be the end of a longer one. */
export const SILENCE_MS_MIN = 300;
export const BADGE_CHARS_MIN = 4;
const BADGE_CHARS_MAX = 100;

export class BadgeDetector {
  private typed = "";
  private isWhole = true;
  private lastAt = -Infinity;

  /** The badge's code when this key completes it, else null. `at`: ms of a clock that only goes forwards. */
  key(key: string, at: number): string | null {
    const gap = at - this.lastAt;
    if (gap > READER_GAP_MS_MAX) {
      this.typed = "";
      this.isWhole = gap >= SILENCE_MS_MIN;
    }
    this.lastAt = at;
    if (key === "Enter") {
      const code = this.typed.trim();
      this.typed = "";
      return this.isWhole && code.length >= BADGE_CHARS_MIN && code.length <= BADGE_CHARS_MAX ? code : null;
    }
    if (key.length === 1) this.typed += key; // "Shift" and the like are no characters
    return null;
  }

  /** True while the key that came last may be the first of a code. */
  get isFirst(): boolean {
    return this.typed.length === 1;
  }
}
