// POST /api/fotos: a photo, stored under the hash of its bytes. GET /api/fotos/{id} is for `<img>`.
import { postBytes } from "./http";
import type { components } from "./schema";

export type StoredPhoto = components["schemas"]["FotoOut"];

export const PHOTO_BYTES_MAX = 400_000;
export const PHOTO_SIDE_PX_MAX = 1600;
/** 400 kB over bad Wi-Fi. */
const UPLOAD_MS_MAX = 60_000;

export const uploadPhoto = (bytes: ArrayBuffer): Promise<StoredPhoto> => postBytes("/api/fotos", bytes, "image/jpeg", UPLOAD_MS_MAX);

export const photoAddress = (id: string): string => `/api/fotos/${id}`;
