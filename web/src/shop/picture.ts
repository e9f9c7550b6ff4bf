// Makes a small JPEG of whatever picture the tablet can open: upright, without location, at most 1600 points and 400 kB.
import { PHOTO_BYTES_MAX, PHOTO_SIDE_PX_MAX } from "@/api/fotos";

/** A key of `notes.bad_file` in the catalogues. */
export type PictureProblem = "heic" | "too_large" | "unreadable";

export interface SmallPhoto {
  /** The SHA-256 of its bytes, which is its id on the server; null where the browser cannot compute it. */
  id: string | null;
  bytes: ArrayBuffer;
  /** A small picture of it for the screen. */
  preview: string;
}

/** More points than any tablet's camera takes; a file may claim many more than its size suggests. */
export const POINTS_MAX = 60_000_000;
const FILE_BYTES_MAX = 40_000_000;
const HEADER_BYTES = 512 * 1024; // the size of a JPEG stands after its Exif data
const QUALITIES = [0.85, 0.7, 0.55, 0.4];
const SMALLER = [1, 0.75, 0.55];
const PREVIEW_PX = 160;

export async function smallPhoto(file: Blob): Promise<SmallPhoto | PictureProblem> {
  const head = new Uint8Array(await file.slice(0, HEADER_BYTES).arrayBuffer());
  const problem = problemOf(head, file.size);
  if (problem) return problem;
  let bitmap: ImageBitmap;
  try {
    bitmap = await createImageBitmap(file, { imageOrientation: "from-image" });
  } catch {
    return "unreadable";
  }
  try {
    const bytes = await smallEnough(bitmap);
    if (!bytes) return "unreadable";
    return { id: await hashOf(bytes), bytes, preview: drawn(bitmap, PREVIEW_PX).toDataURL("image/jpeg", 0.6) };
  } finally {
    bitmap.close();
  }
}

/** What is known before anything is decoded. */
export function problemOf(head: Uint8Array, size: number): PictureProblem | null {
  if (text(head, 4, 8) === "ftyp" && /^(hei|hev|mif|msf)/.test(text(head, 8, 12))) return "heic";
  if (size > FILE_BYTES_MAX) return "too_large";
  const points = pointsIn(head);
  return points !== null && points > POINTS_MAX ? "too_large" : null;
}

/** How many points the header of a PNG or JPEG says that there are; null: it does not say. */
export function pointsIn(head: Uint8Array): number | null {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  if (text(head, 1, 4) === "PNG" && head.length >= 24) return view.getUint32(16) * view.getUint32(20);
  if (head[0] !== 0xff || head[1] !== 0xd8) return null;
  for (const { marker, from, to } of segments(head)) {
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker) && to - from >= 5) return view.getUint16(from + 1) * view.getUint16(from + 3);
  }
  return null;
}

interface Segment {
  marker: number;
  from: number; // where its content begins
  to: number;
}

/** The segments before the coded picture. */
function* segments(jpeg: Uint8Array): Generator<Segment> {
  for (let at = 2; at + 4 <= jpeg.length && jpeg[at] === 0xff; ) {
    const marker = jpeg[at + 1] ?? 0;
    const to = at + 2 + (((jpeg[at + 2] ?? 0) << 8) | (jpeg[at + 3] ?? 0));
    if (marker === 0xda || to > jpeg.length) return;
    yield { marker, from: at + 4, to };
    at = to;
  }
}

/** As the server would store it: without application segments (but the first, JFIF) and comments. So its hash is known here. */
export function plainJpeg(jpeg: Uint8Array): Uint8Array<ArrayBuffer> {
  const kept: Uint8Array[] = [jpeg.subarray(0, 2)];
  let rest = 2;
  for (const { marker, from, to } of segments(jpeg)) {
    const isExtra = (marker > 0xe0 && marker <= 0xef) || marker === 0xfe;
    if (!isExtra) kept.push(jpeg.subarray(from - 4, to));
    rest = to;
  }
  kept.push(jpeg.subarray(rest));
  const whole = new Uint8Array(kept.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of kept) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

async function smallEnough(bitmap: ImageBitmap): Promise<ArrayBuffer | null> {
  for (const part of SMALLER) {
    const canvas = drawn(bitmap, PHOTO_SIDE_PX_MAX * part);
    for (const quality of QUALITIES) {
      const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/jpeg", quality));
      if (blob && blob.type === "image/jpeg" && blob.size <= PHOTO_BYTES_MAX) return plainJpeg(new Uint8Array(await blob.arrayBuffer())).buffer;
    }
  }
  return null;
}

function drawn(bitmap: ImageBitmap, side_px_max: number): HTMLCanvasElement {
  const scale = Math.min(1, side_px_max / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  const context = canvas.getContext("2d");
  if (!context) return canvas;
  context.fillStyle = "#fff"; // under what is transparent
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return canvas;
}

/** Null on plain http, where browsers have no `crypto.subtle`. */
async function hashOf(bytes: ArrayBuffer): Promise<string | null> {
  if (!("subtle" in crypto)) return null;
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

const text = (bytes: Uint8Array, from: number, to: number): string => String.fromCharCode(...bytes.subarray(from, to));
