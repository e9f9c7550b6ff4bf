// A new idempotency key: the time in milliseconds, then random bytes. Keys that are made one after the other stand side by side in the
// ledger's index, so that a commit changes few of its pages. Pages on plain http have no `crypto.randomUUID`.

const TIME_DIGITS = 12;
const RANDOM_BYTES = 10;

export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES));
  return hex(Date.now(), TIME_DIGITS) + Array.from(bytes, (byte) => hex(byte, 2)).join("");
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}
