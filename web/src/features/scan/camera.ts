// The camera: opened, looked through until it shows a code, closed again.
import { Decoder } from "./decoder";

/** Pauses between two pictures: a hand does not move faster, and a tablet stays cool. */
const LOOK_EVERY_MS = 120;

/** Why there is no picture; a key of `scan.camera` in the catalogues. */
export type CameraProblem = "insecure" | "denied" | "missing" | "busy" | "decoder";

const BY_NAME: Record<string, CameraProblem> = {
  NotAllowedError: "denied",
  SecurityError: "denied",
  NotFoundError: "missing",
  OverconstrainedError: "missing",
};

export const problemOf = (error: unknown): CameraProblem => (error instanceof DOMException && BY_NAME[error.name]) || "busy";

/** Browsers give a camera only to pages of HTTPS, and of this machine itself. */
export const hasCameras = (): boolean => "mediaDevices" in navigator;

export async function openCamera(): Promise<MediaStream> {
  const video = { facingMode: { ideal: "environment" }, width: { ideal: 1280 }, height: { ideal: 720 } };
  return navigator.mediaDevices.getUserMedia({ video, audio: false });
}

export function closeCamera(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}

/** The first code that the camera shows; null once it is aborted. Rejects when the decoder does not work. */
export async function firstCode(video: HTMLVideoElement, aborted: AbortSignal): Promise<string | null> {
  const decoder = new Decoder();
  try {
    while (!aborted.aborted) {
      const texts = hasPicture(video) ? await decoder.read(await createImageBitmap(video)) : [];
      if (texts[0] !== undefined && !isAborted(aborted)) return texts[0];
      await new Promise((wake) => setTimeout(wake, LOOK_EVERY_MS));
    }
    return null;
  } finally {
    decoder.close();
  }
}

const hasPicture = (video: HTMLVideoElement): boolean => video.readyState >= video.HAVE_CURRENT_DATA && video.videoWidth > 0;

/** Read anew: it changes while a picture is decoded. */
const isAborted = (signal: AbortSignal): boolean => signal.aborted;
