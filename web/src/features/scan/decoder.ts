// The page's side of the worker that finds codes in pictures: one picture at a time.

/** `failure`: the decoder itself does not work here; a picture without a code is an empty list. */
export type DecoderAnswer = { texts: string[] } | { failure: string };

export class Decoder {
  private readonly worker = new Worker(new URL("./decoder.worker.ts", import.meta.url), { type: "module" });

  /** The codes in the picture, that in the middle first. Rejects when the decoder could not be loaded. */
  read(picture: ImageBitmap): Promise<string[]> {
    return new Promise((resolve, reject) => {
      this.worker.onmessage = ({ data }: MessageEvent<DecoderAnswer>) => {
        if ("texts" in data) resolve(data.texts);
        else reject(new Error(data.failure));
      };
      this.worker.onerror = () => reject(new Error("the decoder was not loaded"));
      this.worker.postMessage(picture, [picture]);
    });
  }

  close(): void {
    this.worker.terminate();
  }
}
