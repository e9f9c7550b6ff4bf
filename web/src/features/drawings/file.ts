// The bytes of a drawing as they are uploaded: a PDF or a small picture as it is, a large picture drawn smaller.
const IMAGE_BYTES_MAX = 4_000_000;
const SIDE_PX_MAX = 4_000;
const DRAWN_PX = 3_000;
const QUALITY = 0.85;
export const PDF = "application/pdf";

export interface DrawingFile {
  bytes: ArrayBuffer;
  type: string;
}

/** Null for a picture that the browser cannot open. */
export async function drawingFile(file: File): Promise<DrawingFile | null> {
  if (!file.type.startsWith("image/")) return { bytes: await file.arrayBuffer(), type: PDF };
  let bitmap: ImageBitmap;
  try {
    bitmap = await createImageBitmap(file, { imageOrientation: "from-image" });
  } catch {
    return null;
  }
  try {
    const plain = file.type === "image/png" || file.type === "image/jpeg";
    const small = file.size <= IMAGE_BYTES_MAX && Math.max(bitmap.width, bitmap.height) <= SIDE_PX_MAX;
    if (file.type === "image/png" && small) return { bytes: await file.arrayBuffer(), type: file.type };
    return await drawnSmaller(bitmap, plain && small ? SIDE_PX_MAX : DRAWN_PX);
  } finally {
    bitmap.close();
  }
}

/** Upright, because a JPEG may be turned only by its metadata, which the server leaves out. */
async function drawnSmaller(bitmap: ImageBitmap, side_px_max: number): Promise<DrawingFile | null> {
  const scale = Math.min(1, side_px_max / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  const context = canvas.getContext("2d");
  if (!context) return null;
  context.fillStyle = "#fff"; // under what is transparent
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/jpeg", QUALITY));
  return blob && { bytes: await blob.arrayBuffer(), type: "image/jpeg" };
}
