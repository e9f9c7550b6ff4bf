import { createHmac } from "node:crypto";

import { describe, expect, it } from "vitest";

import { base64urlOf } from "@/storage/base64url";
import { importTapKey, signTap, signedText } from "./signing";

const secret = new Uint8Array(32).map((_, i) => i * 7);
const parts = {
  path: "/api/occupation/tomar",
  key: "k1",
  number: 3,
  time: "2026-11-16T12:00:00.000Z",
  body: '{"tag_spool":"Ñ-1","worker_id":93}',
};

describe("a signed tap", () => {
  it("has the header that the server checks, over path, key, number, time and body", async () => {
    const key = await importTapKey(base64urlOf(secret));
    const { header, body } = await signTap("s-1", key, parts);
    const text = `/api/occupation/tomar\nk1\n3\n2026-11-16T12:00:00.000Z\n${parts.body}`;
    expect(signedText(parts)).toBe(text);
    const mac = createHmac("sha256", secret).update(text).digest("hex");
    expect(header).toBe(`s-1, 3, 2026-11-16T12:00:00.000Z, ${mac}`);
    expect(body).toBe(parts.body);
  });

  it("is signed with a key that the page cannot read", async () => {
    const key = await importTapKey(base64urlOf(secret));
    expect(key.extractable).toBe(false);
    await expect(crypto.subtle.exportKey("raw", key)).rejects.toThrow();
  });
});
