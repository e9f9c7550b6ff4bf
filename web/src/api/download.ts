// Calls that answer a file: one that is asked for with more than fits into an address, and one that is only read.
import { accepted, noAnswer } from "./http";

export async function postForFile(path: string, body: unknown, ms_max: number): Promise<Blob> {
  const headers = { "Content-Type": "application/json" };
  let response: Response;
  let file: Blob;
  try {
    response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body), signal: AbortSignal.timeout(ms_max) });
    file = await response.blob();
  } catch (error) {
    throw noAnswer(String(error));
  }
  accepted(response.status, response.ok ? null : await problemIn(file));
  return file;
}

async function problemIn(answer: Blob): Promise<unknown> {
  try {
    return JSON.parse(await answer.text());
  } catch {
    return null; // an error page of a proxy
  }
}

export interface AnsweredFile {
  file: Blob;
  /** As the server names it. */
  name: string;
}

export async function getFile(path: string, ms_max: number): Promise<AnsweredFile> {
  let response: Response;
  let file: Blob;
  try {
    response = await fetch(path, { signal: AbortSignal.timeout(ms_max) });
    file = await response.blob();
  } catch (error) {
    throw noAnswer(String(error));
  }
  accepted(response.status, response.ok ? null : await problemIn(file));
  const name = /filename="([^"]+)"/.exec(response.headers.get("Content-Disposition") ?? "")?.[1];
  return { file, name: name ?? "dossier" };
}
