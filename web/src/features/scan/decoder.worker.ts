// Finds codes in pictures of the camera, in a worker: the screen stays quick, and only this file's own content security policy
// allows WebAssembly (`api/server/headers.py`). The browser's own detector where it knows our formats, else ZXing.
import wasmAddress from "zxing-wasm/reader/zxing_reader.wasm?url";

import type { DecoderAnswer } from "./decoder";
import { type FoundCode, fromTheMiddle } from "./pictureMiddle";

const FORMATS = ["qr_code", "data_matrix", "code_128"] as const;

interface Detector {
  detect: (picture: ImageBitmap) => Promise<FoundCode[]>;
}

interface DetectorClass {
  new (options: { formats: readonly string[] }): Detector;
  getSupportedFormats: () => Promise<readonly string[]>;
}

async function ownDetector(): Promise<Detector | null> {
  const Own = (globalThis as { BarcodeDetector?: DetectorClass }).BarcodeDetector;
  const known: readonly string[] = (await Own?.getSupportedFormats().catch(() => [])) ?? [];
  return Own && FORMATS.every((format) => known.includes(format)) ? new Own({ formats: FORMATS }) : null;
}

async function zxing(): Promise<Detector> {
  const { BarcodeDetector, prepareZXingModule } = await import("barcode-detector/ponyfill");
  await prepareZXingModule({ overrides: { locateFile: () => wasmAddress }, fireImmediately: true });
  return new BarcodeDetector({ formats: [...FORMATS] });
}

const detector = ownDetector().then((own) => own ?? zxing());

async function read(picture: ImageBitmap): Promise<DecoderAnswer> {
  try {
    const found = await (await detector).detect(picture);
    return { texts: fromTheMiddle(found, picture.width, picture.height) };
  } catch (error) {
    return { failure: String(error) };
  } finally {
    picture.close();
  }
}

addEventListener("message", (event: MessageEvent<ImageBitmap>) => void read(event.data).then((answer) => postMessage(answer)));
detector.catch(() => undefined); // told with the first picture
