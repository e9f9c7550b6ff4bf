// The key of a service account as Google gives it: a small JSON file. Pure.

export const KEY_BYTES_MAX = 64 * 1024;

/** The parsed key; null: the file is no such key. The server checks it again. */
export function keyOf(text: string): object | null {
  try {
    const key = JSON.parse(text) as unknown;
    if (typeof key !== "object" || key === null) return null;
    const { type, client_email, private_key } = key as Record<string, unknown>;
    return type === "service_account" && typeof client_email === "string" && typeof private_key === "string" ? key : null;
  } catch {
    return null;
  }
}

/** Whether somebody pasted the address of a Google sheet, or its id. */
export const isSheetAddress = (text: string): boolean =>
  /^https:\/\/docs\.google\.com\/spreadsheets\/(u\/\d+\/)?d\/[\w-]+/.test(text.trim()) || /^[\w-]{20,}$/.test(text.trim());
