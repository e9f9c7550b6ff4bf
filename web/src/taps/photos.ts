// The photos of notes that wait on this tablet: kept until their note is answered, and uploaded before it is sent.
import { uploadPhoto } from "@/api/fotos";
import { postText } from "@/api/http";
import { isNotePath } from "@/api/notas";
import { TabletDatabase } from "@/storage/database";
import type { Tap } from "./tap";

/** 40 MB at most. */
export const KEPT_PHOTOS_MAX = 100;
/** A photo that no tap names any more was left by a killed browser. */
const LEFT_MS = 24 * 3_600_000;

interface KeptPhoto {
  id: string;
  bytes: ArrayBuffer;
  at: number; // epoch ms
}

type Photos = readonly { id: string; bytes: ArrayBuffer }[];

/** A database of its own: one more store in that of the taps would be a new version of it, which an older app could not open. */
const database = new TabletDatabase(() => globalThis.indexedDB, "carrete-photos", { photos: "id" });

export class PhotoStore {
  private readonly memory = new Map<string, KeptPhoto>(); // what the database refused
  private readonly uploaded = new Set<string>();

  constructor(
    private readonly stored: TabletDatabase = database,
    private readonly upload: (bytes: ArrayBuffer) => Promise<{ id: string }> = uploadPhoto,
    private readonly now: () => number = Date.now,
  ) {}

  /** False: too many wait already, and none of these was kept. `waiting` are the taps that may name others. */
  async keep(photos: Photos, waiting: readonly Tap[]): Promise<boolean> {
    const kept = await this.withoutLeft(waiting);
    if (kept + photos.length > KEPT_PHOTOS_MAX) return false;
    const entries = photos.map(({ id, bytes }) => ({ id, bytes, at: this.now() }));
    const saved = await this.stored.change<true>(["photos"], (store, finish) => {
      for (const entry of entries) store("photos").put(entry);
      finish(true);
    });
    if (!saved) for (const entry of entries) this.memory.set(entry.id, entry);
    return true;
  }

  /** Before the note is sent. What the server refuses or does not answer is thrown, as if it were about the note. */
  async uploadAll(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      if (this.uploaded.has(id)) continue;
      const photo = await this.find(id);
      if (!photo) continue; // uploaded in another tab, or before a reload: the server says if it lacks one
      await this.upload(photo.bytes);
      this.uploaded.add(id);
    }
  }

  async forget(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      this.memory.delete(id);
      this.uploaded.delete(id);
    }
    await this.stored.change<true>(["photos"], (store, finish) => {
      for (const id of ids) store("photos").delete(id);
      finish(true);
    });
  }

  /** Forgets all that none of these taps names. */
  async forgetUnnamed(waiting: readonly Tap[]): Promise<void> {
    const named = new Set(waiting.flatMap(photosOf));
    const ids = [...(await this.all()).map(({ id }) => id), ...this.memory.keys()];
    const unnamed = ids.filter((id) => !named.has(id));
    if (unnamed.length > 0) await this.forget(unnamed);
  }

  private async all(): Promise<KeptPhoto[]> {
    const found = await this.stored.read<KeptPhoto[]>(["photos"], (store, finish) => {
      const all = store("photos").getAll() as IDBRequest<KeptPhoto[]>;
      all.onsuccess = () => finish(all.result);
    });
    return found ?? [];
  }

  private async find(id: string): Promise<KeptPhoto | undefined> {
    const found = await this.stored.read<KeptPhoto>(["photos"], (store, finish) => {
      const read = store("photos").get(id) as IDBRequest<KeptPhoto>;
      read.onsuccess = () => finish(read.result);
    });
    return found ?? this.memory.get(id);
  }

  /** How many are kept, after those that a killed browser left were deleted. */
  private async withoutLeft(waiting: readonly Tap[]): Promise<number> {
    const named = new Set(waiting.flatMap(photosOf));
    const found = await this.all();
    const left = found.filter(({ id, at }) => !named.has(id) && Math.abs(this.now() - at) > LEFT_MS);
    if (left.length > 0) await this.forget(left.map(({ id }) => id));
    return found.length - left.length + this.memory.size;
  }
}

/** The photos that a tap names; none, if it is no note. */
export function photosOf({ path, body }: Pick<Tap, "path" | "body">): string[] {
  if (!isNotePath(path)) return [];
  const { fotos } = (body ?? {}) as { fotos?: unknown };
  return Array.isArray(fotos) ? fotos.filter((id) => typeof id === "string") : [];
}

export const photoStore = new PhotoStore();

/** Sends a tap; a note's photos first. */
export async function postTap(path: string, body: string, key: string, signature?: string): Promise<unknown> {
  if (isNotePath(path)) await photoStore.uploadAll(photosOf({ path, body: JSON.parse(body) as unknown }));
  return postText(path, body, key, signature);
}
