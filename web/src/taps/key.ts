// A new idempotency key. Pages on plain http have no `crypto.randomUUID`, so the key is made of random bytes.

const KEY_BYTES = 16;

export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
