// A POST that answers a file: what is asked for is too long for an address.
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
