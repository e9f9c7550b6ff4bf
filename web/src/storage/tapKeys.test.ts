import { describe, expect, it } from "vitest";

import { TapKeys } from "./tapKeys";

const key = {} as CryptoKey;

describe("the keys of a tablet without IndexedDB", () => {
  const broken = () => {
    throw new Error("denied");
  };

  it("number the taps of a session one after the other", async () => {
    const keys = new TapKeys(broken);
    await keys.save("s-1", key);
    expect((await keys.take("s-1"))?.number).toBe(1);
    expect((await keys.take("s-1"))?.number).toBe(2);
    expect(await keys.take("s-2")).toBeNull();
  });

  it("sign nothing after the sign-out, which tells the last number as often as it is asked", async () => {
    const keys = new TapKeys(() => null);
    await keys.save("s-1", key);
    await keys.take("s-1");
    await keys.take("s-1");
    expect(await keys.destroy("s-1")).toBe(2);
    expect(await keys.take("s-1")).toBeNull();
    expect(await keys.destroy("s-1")).toBe(2);
    expect(await keys.destroyed()).toEqual(["s-1"]);
    await keys.forget("s-1");
    expect(await keys.destroyed()).toEqual([]);
    expect(await keys.destroy("s-1")).toBeNull();
  });
});
