import { describe, expect, it } from "vitest";

import { isSheetAddress, keyOf } from "./keyFile";

const KEY = { type: "service_account", client_email: "carrete@shop.iam.gserviceaccount.com", private_key: "-----BEGIN" };

describe("what somebody brings for Google", () => {
  it("takes the key of a service account and nothing else", () => {
    expect(keyOf(JSON.stringify(KEY))).toEqual(KEY);
    expect(keyOf(JSON.stringify({ ...KEY, type: "authorized_user" }))).toBeNull();
    expect(keyOf("[]")).toBeNull();
    expect(keyOf("PK\u0003\u0004")).toBeNull();
  });

  it.each([
    ["https://docs.google.com/spreadsheets/d/1AbCdEfGhIjKlMnOpQrStUvWxYz0123456789/edit#gid=0", true],
    ["https://docs.google.com/spreadsheets/u/0/d/1AbCdEfGhIjKlMnOpQrStUvWxYz0123456789", true],
    [" 1AbCdEfGhIjKlMnOpQrStUvWxYz0123456789 ", true],
    ["https://drive.google.com/drive/folders/1AbCdEfGhIjKlMnOpQrStUvWxYz", false],
    ["planilla", false],
  ])("%s: %s", (text, valid) => {
    expect(isSheetAddress(text)).toBe(valid);
  });
});
