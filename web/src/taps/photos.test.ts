import { describe, expect, it, vi } from "vitest";

import { NoAnswerError } from "@/api/http";
import { TabletDatabase } from "@/storage/database";
import { KEPT_PHOTOS_MAX, photosOf, PhotoStore } from "./photos";
import type { Tap } from "./tap";

const photo = (id: string) => ({ id, bytes: new ArrayBuffer(3) });
const NOTE = "/api/spools/A%2FB/notas";

/** A browser without a database: everything is in memory. */
function store(upload = vi.fn(() => Promise.resolve({ id: "a" }))) {
  return { photos: new PhotoStore(new TabletDatabase(() => null), upload), upload };
}

describe("the photos of notes that wait", () => {
  it("are those that a note names", () => {
    expect(photosOf({ path: NOTE, body: { fotos: ["a", "b"] } })).toEqual(["a", "b"]);
    expect(photosOf({ path: NOTE, body: {} })).toEqual([]);
    expect(photosOf({ path: "/api/occupation/tomar", body: { fotos: ["a"] } })).toEqual([]);
  });

  it("are uploaded once before their note, however often that is sent", async () => {
    const { photos, upload } = store();
    await photos.keep([photo("a"), photo("b")], []);
    await photos.uploadAll(["a", "b"]);
    await photos.uploadAll(["a", "b"]);
    expect(upload).toHaveBeenCalledTimes(2);
  });

  it("are uploaded again when there was no answer", async () => {
    const upload = vi.fn(() => Promise.resolve({ id: "a" })).mockRejectedValueOnce(new NoAnswerError("gone"));
    const { photos } = store(upload);
    await photos.keep([photo("a")], []);
    await expect(photos.uploadAll(["a"])).rejects.toThrow("gone");
    await photos.uploadAll(["a"]);
    expect(upload).toHaveBeenCalledTimes(2);
  });

  it("are forgotten when their note is answered", async () => {
    const { photos, upload } = store();
    await photos.keep([photo("a")], []);
    await photos.forget(["a"]);
    await photos.uploadAll(["a"]);
    expect(upload).not.toHaveBeenCalled();
  });

  it("are forgotten with the copy of the spools, unless a note that waits names them", async () => {
    const { photos, upload } = store();
    await photos.keep([photo("a"), photo("b")], []);
    const note = { path: NOTE, body: { fotos: ["b"] } } as Tap;
    await photos.forgetUnnamed([note]);
    await photos.uploadAll(["a", "b"]);
    expect(upload).toHaveBeenCalledTimes(1);
  });

  it("are not kept when too many wait", async () => {
    const { photos } = store();
    const many = Array.from({ length: KEPT_PHOTOS_MAX }, (_, n) => photo(String(n)));
    expect(await photos.keep(many, [])).toBe(true);
    expect(await photos.keep([photo("one more")], [])).toBe(false);
  });
});
