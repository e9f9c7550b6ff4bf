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
  const answer = new Promise<Answer>((resolve, reject) => {
    let timer = setTimeout(() => request.abort(), STALLED_MS_MAX);
    const alive = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => request.abort(), STALLED_MS_MAX);
    };
    const fail = (): void => reject(cancelled ? new UploadCancelledError() : noAnswer("upload"));
    request.upload.onprogress = ({ loaded }) => {
      alive();
      onSent(loaded);
    };
    request.onload = () => {
      try {
        resolve(accepted(request.status, bodyOf(request)) as Answer);
      } catch (error) {
        reject(error);
      }
    };
    request.onerror = fail;
    request.onabort = fail;
    request.onloadend = () => clearTimeout(timer);
    request.open("POST", path);
    request.setRequestHeader("Content-Type", type);
    request.setRequestHeader("Accept", "application/json");
    request.send(file);
  });
  const cancel = (): void => {
    cancelled = true;
    request.abort();
  };
  return { answer, cancel };
}

function bodyOf(request: XMLHttpRequest): unknown {
  try {
    return JSON.parse(request.responseText);
  } catch {
    return null; // an error page of a proxy
  }
}
