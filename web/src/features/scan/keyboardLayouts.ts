// A reader that types presses the keys of the layout it was set up for; the tablet may have another one, and then `-` arrives as `'`
// or `/`. The keys' positions tell what the reader meant. Pure.

export interface PressedKey {
  /** The character of the tablet's layout; longer than one character: no character. */
  key: string;
  /** The key's position; empty where the browser does not tell. */
  code: string;
  shift: boolean;
}

/** Position → the character without and with Shift. Letters and digits without Shift are the same in both layouts. */
type Layout = Record<string, readonly [string, string]>;

const US: Layout = {
  ...digits(")!@#$%^&*("),
  Minus: ["-", "_"],
  Equal: ["=", "+"],
  BracketLeft: ["[", "{"],
  BracketRight: ["]", "}"],
  Backslash: ["\\", "|"],
  Semicolon: [";", ":"],
  Quote: ["'", '"'],
  Comma: [",", "<"],
  Period: [".", ">"],
  Slash: ["/", "?"],
};

/** What the layouts of Spain and of Latin America have in common. */
const SPANISH: Layout = {
  ...digits('=!"#$%&/()'),
  Minus: ["'", "?"],
  Equal: ["¡", "¿"],
  BracketRight: ["+", "*"],
  Semicolon: ["ñ", "Ñ"],
  Comma: [",", ";"],
  Period: [".", ":"],
  Slash: ["-", "_"],
  IntlBackslash: ["<", ">"],
};

function digits(shifted: string): Layout {
  return Object.fromEntries(Array.from(shifted, (sign, digit) => [`Digit${digit}`, [String(digit), sign] as const]));
}

function characterIn(layout: Layout, { key, code, shift }: PressedKey): string {
  const letter = /^Key([A-Z])$/.exec(code)?.[1];
  if (letter !== undefined) return shift ? letter : letter.toLowerCase(); // also while Caps Lock is on
  return layout[code]?.[shift ? 1 : 0] ?? (key.length === 1 ? key : "");
}

/** What the keys may mean, the most likely first: as the tablet understood them, then as a US and as a Spanish reader sends them. */
export function possibleTexts(pressed: readonly PressedKey[]): string[] {
  const typed = pressed.map(({ key }) => (key.length === 1 ? key : "")).join("");
  const byPosition = pressed.every(({ code }) => code !== "");
  const meant = byPosition ? [US, SPANISH].map((layout) => pressed.map((one) => characterIn(layout, one)).join("")) : [];
  return [...new Set([typed, ...meant].map((text) => text.trim()))].filter((text) => text !== "");
}
