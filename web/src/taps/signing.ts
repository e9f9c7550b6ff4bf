// Signs a tap with the key of its author's session at the moment of the tap, so that it stays its author's whenever it is sent.
import { bytesOf } from "@/storage/base64url";

/** The exact bytes that are sent, and the header `Carrete-Tap` that proves whose they are. */
export interface Signature {
  readonly session: string;
  readonly number: number;
  readonly time: string;
  readonly body: string;
  readonly header: string;
}

export interface TapParts {
  path: string;
  key: string;
  number: number;
  time: string;
  body: string;
}

const HMAC = { name: "HMAC", hash: "SHA-256" };

/** Pages on plain http, other than at this computer itself, have no `crypto.subtle`. */
export const canSign = (): boolean => (globalThis.crypto as Crypto | undefined)?.subtle !== undefined;

/** The page cannot read the key any more; it can only sign with it. */
export const importTapKey = (base64url: string): Promise<CryptoKey> =>
  crypto.subtle.importKey("raw", bytesOf(base64url), HMAC, false, ["sign"]);

export const signedText = ({ path, key, number, time, body }: TapParts): string =>
  [path, key, number, time, body].join("\n");

export async function signTap(session: string, tapKey: CryptoKey, parts: TapParts): Promise<Signature> {
  const mac = await crypto.subtle.sign("HMAC", tapKey, new TextEncoder().encode(signedText(parts)));
  const { number, time, body } = parts;
  return { session, number, time, body, header: `${session}, ${number}, ${time}, ${hexOf(mac)}` };
}

/** What the server knows a tap by, whose session has ended: it stands for its path, key, number, time and body. */
export const macOf = ({ header }: Pick<Signature, "header">): string => header.slice(header.lastIndexOf(" ") + 1);

const hexOf = (buffer: ArrayBuffer): string =>
  Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");
