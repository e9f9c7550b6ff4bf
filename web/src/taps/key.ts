// A key nobody else has. Plain http has no `crypto.randomUUID`, so the bytes are drawn by hand.

const KEY_BYTES = 16;

export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
