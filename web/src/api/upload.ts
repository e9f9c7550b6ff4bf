// Sends a file as the body of a request, and tells how much of it is sent: `fetch` cannot.
import { accepted, noAnswer } from "./http";

/** Without any byte sent or answered for this long, the connection counts as cut. */
const STALLED_MS_MAX = 60_000;

/** The person cancelled the upload. */
export class UploadCancelledError extends Error {}

export interface Upload<Answer> {
  answer: Promise<Answer>;
  cancel: () => void;
}

export function upload<Answer>(path: string, file: File, type: string, onSent: (bytes: number) => void): Upload<Answer> {
  const request = new XMLHttpRequest();
  let cancelled = false;
  const answered = new Promise<void>((resolve, reject) => {
    const fail = (): void => reject(cancelled ? new UploadCancelledError() : noAnswer("upload"));
    request.onload = () => resolve();
    request.onerror = fail;
    request.onabort = fail;
  });
  abortWhenStalled(request, onSent);
  request.open("POST", path);
  request.setRequestHeader("Content-Type", type);
  request.setRequestHeader("Accept", "application/json");
  request.send(file);
  const cancel = (): void => {
    cancelled = true;
    request.abort();
  };
  return { answer: answered.then(() => accepted(request.status, bodyOf(request)) as Answer), cancel };
}

function abortWhenStalled(request: XMLHttpRequest, onSent: (bytes: number) => void): void {
  let timer = setTimeout(() => request.abort(), STALLED_MS_MAX);
  request.upload.onprogress = ({ loaded }) => {
    clearTimeout(timer);
    timer = setTimeout(() => request.abort(), STALLED_MS_MAX);
    onSent(loaded);
  };
  request.onloadend = () => clearTimeout(timer);
}

function bodyOf(request: XMLHttpRequest): unknown {
  try {
    return JSON.parse(request.responseText);
  } catch {
    return null; // an error page of a proxy
  }
}
