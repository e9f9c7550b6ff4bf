// Seals a PIN to the server's public key, for a lock screen without a connection: only the server can open it. An ephemeral P-256 key,
// HKDF-SHA256, AES-256-GCM.
import { base64urlOf, bytesOf } from "@/storage/base64url";

export interface SealedContent {
  pin: string;
  session: string;
  /** ISO 8601, the tablet's clock. */
  at: string;
}

const CURVE = { name: "ECDH", namedCurve: "P-256" };
const NONCE_BYTES = 12;

/** base64url of: the raw ephemeral public key (65 bytes), the nonce (12 bytes), the ciphertext. */
export async function sealPin(publicKey: string, content: SealedContent): Promise<string> {
  const server = await crypto.subtle.importKey("raw", bytesOf(publicKey), CURVE, false, []);
  const ephemeral = await crypto.subtle.generateKey(CURVE, false, ["deriveBits"]);
  const shared = await crypto.subtle.deriveBits({ name: "ECDH", public: server }, ephemeral.privateKey, 256);
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const plain = new TextEncoder().encode(JSON.stringify(content));
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv: nonce }, await sealKey(shared), plain);
  const raw = await crypto.subtle.exportKey("raw", ephemeral.publicKey);
  return base64urlOf(new Uint8Array([...new Uint8Array(raw), ...nonce, ...new Uint8Array(sealed)]));
}

/** The key that the server derives from its private key in the same way. */
async function sealKey(shared: ArrayBuffer): Promise<CryptoKey> {
  const secret = await crypto.subtle.importKey("raw", shared, "HKDF", false, ["deriveKey"]);
  const hkdf = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(0), info: new TextEncoder().encode("carrete pin") };
  return crypto.subtle.deriveKey(hkdf, secret, { name: "AES-GCM", length: 256 }, false, ["encrypt"]);
}
