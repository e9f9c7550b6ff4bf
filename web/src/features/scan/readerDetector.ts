// Tells a reader that types from a person at a keyboard: a reader types the whole code without a pause, and most end with Enter or
// Tab. One that does not is known by a faster pace, more characters and the silence after them. Pure.
import { type PressedKey, possibleTexts } from "./keyboardLayouts";

/** The longest pause between two keys of a reader; a person's fingers are slower. */
export const READER_GAP_MS_MAX = 50;
/** The same for a code without Enter: here the pace is the only sign. */
export const READER_GAP_WITHOUT_ENTER_MS_MAX = 30;
/** Silence before a reader's first key: a code that follows something else at once may be the end of a longer one. */
export const SILENCE_MS_MIN = 300;
/** Silence after which a code without Enter is over. */
export const END_MS = 100;
/** An Enter of a reader that comes so late belongs to the code before it, and presses nothing. */
const LATE_ENTER_MS_MAX = 500;
export const CODE_CHARS_MIN = 4;
/** One more than a PIN has digits: nobody's PIN is taken for a code. */
export const CODE_CHARS_WITHOUT_ENTER_MIN = 7;
const CODE_CHARS_MAX = 1_000;

/** What a reader typed: each text that it may have meant, the most likely first. */
export type ReadTexts = readonly string[];

export class ReaderDetector {
  private pressed: PressedKey[] = [];
  private isWhole = true;
  private slowest_ms = 0;
  private lastAt = -Infinity;
  private endedAt = -Infinity;

  /** The code when this key completes it, else null. `at`: ms of a clock that only goes forwards. */
  key(pressed: PressedKey, at: number): ReadTexts | null {
    const gap = at - this.lastAt;
    if (gap > READER_GAP_MS_MAX) this.begin(gap);
    else if (this.pressed.length > 0) this.slowest_ms = Math.max(this.slowest_ms, gap);
    this.lastAt = at;
    if (isEnd(pressed)) return this.take(CODE_CHARS_MIN);
    if (isCharacter(pressed)) this.pressed.push(pressed); // "Shift" and the like are no characters
    return null;
  }

  /** The code that ended without Enter, once nothing was typed for `END_MS`; else null. */
  afterSilence(at: number): ReadTexts | null {
    if (!this.isSilent(at) || this.slowest_ms > READER_GAP_WITHOUT_ENTER_MS_MAX) return null;
    const texts = this.take(CODE_CHARS_WITHOUT_ENTER_MIN);
    if (texts) this.endedAt = at;
    return texts;
  }

  isSilent(at: number): boolean {
    return at - this.lastAt >= END_MS;
  }

  /** True for the Enter of a code that `afterSilence` has told already. */
  isLateEnter(pressed: PressedKey, at: number): boolean {
    return isEnd(pressed) && at - this.endedAt <= LATE_ENTER_MS_MAX;
  }

  /** A key that is held down repeats as fast as a reader types. */
  forget(): void {
    this.pressed = [];
    this.isWhole = false;
  }

  /** True while the key that came last may be the first of a code. */
  get isFirst(): boolean {
    return this.pressed.length === 1;
  }

  /** True while the keys come faster than a person's. */
  get isReading(): boolean {
    return this.pressed.length > 1;
  }

  private begin(gap: number): void {
    this.pressed = [];
    this.slowest_ms = 0;
    this.isWhole = gap >= SILENCE_MS_MIN;
  }

  private take(chars_min: number): ReadTexts | null {
    const length = this.pressed.length;
    const texts = this.isWhole && length >= chars_min && length <= CODE_CHARS_MAX ? possibleTexts(this.pressed) : [];
    this.pressed = [];
    if (texts.length === 0) return null;
    this.lastAt = -Infinity; // the next code may follow at once
    return texts;
  }
}

const isEnd = ({ key }: PressedKey): boolean => key === "Enter" || key === "Tab";

/** A dead key of the tablet's layout is a character of the reader's. */
const isCharacter = ({ key }: PressedKey): boolean => key.length === 1 || key === "Dead";
