import { describe, expect, it } from "vitest";

import { base64urlOf, bytesOf } from "@/storage/base64url";
import { sealPin } from "./seal";

const CURVE = { name: "ECDH", namedCurve: "P-256" };

/** What the server does with its private key. */
async function opened(sealed: string, privateKey: CryptoKey): Promise<unknown> {
  const raw = bytesOf(sealed);
  const ephemeral = await crypto.subtle.importKey("raw", raw.slice(0, 65), CURVE, false, []);
  const shared = await crypto.subtle.deriveBits({ name: "ECDH", public: ephemeral }, privateKey, 256);
  const secret = await crypto.subtle.importKey("raw", shared, "HKDF", false, ["deriveKey"]);
  const hkdf = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(32), info: new TextEncoder().encode("carrete pin") };
  const key = await crypto.subtle.deriveKey(hkdf, secret, { name: "AES-GCM", length: 256 }, false, ["decrypt"]);
  const plain = await crypto.subtle.decrypt({ name: "AES-GCM", iv: raw.slice(65, 77) }, key, raw.slice(77));
  return JSON.parse(new TextDecoder().decode(plain));
}

describe("a PIN typed without a connection", () => {
  it("can be read only with the server's key, and never looks the same twice", async () => {
    const server = await crypto.subtle.generateKey(CURVE, false, ["deriveBits"]);
    const publicKey = base64urlOf(new Uint8Array(await crypto.subtle.exportKey("raw", server.publicKey)));
    const content = { pin: "482915", session: "s-1", at: "2026-11-16T12:00:00.000Z" };
    const [first, second] = await Promise.all([sealPin(publicKey, content), sealPin(publicKey, content)]);
    expect(await opened(first, server.privateKey)).toEqual(content);
    expect(first).not.toBe(second);
    expect(first).toMatch(/^[A-Za-z0-9_-]+$/);
    const another = await crypto.subtle.generateKey(CURVE, false, ["deriveBits"]);
    await expect(opened(first, another.privateKey)).rejects.toThrow();
  });
});
