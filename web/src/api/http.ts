// How this app talks HTTP: JSON in, JSON out, a refusal is a `Refused`, silence is a `NoAnswer`. Nothing is shown from here.

import { server } from "./server-state";
import type { Problem } from "./types";

/** The server decided against it. */
export class Refused extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** Nobody knows: the network failed, it took too long, or the server could not answer (5xx). Ask again. */
export class NoAnswer extends Error {}

export const ANSWER_MS_MAX = 10_000;

export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  const init: RequestInit = { headers: { Accept: "application/json" } };
  return (await answered(path, init, signal)) as T;
}

export async function postJson<T>(path: string, body: unknown, key: string): Promise<T> {
  const headers = { "Content-Type": "application/json", Accept: "application/json", "Idempotency-Key": key };
  return (await answered(path, { method: "POST", headers, body: JSON.stringify(body) })) as T;
}

/** A query string without empty parameters. */
export function query(parameters: Record<string, string | number | null | undefined>): string {
  const pairs = Object.entries(parameters).filter(([, value]) => (value ?? "") !== "");
  return pairs.length ? `?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString()}` : "";
}

/** A tag inside a path, `/` included. */
export const inPath = (tag: string): string => encodeURIComponent(tag);

async function answered(path: string, init: RequestInit, signal?: AbortSignal): Promise<unknown> {
  const clock = new AbortController();
  const stop = (): void => clock.abort();
  const timer = setTimeout(stop, ANSWER_MS_MAX);
  signal?.addEventListener("abort", stop);
  let response: Response;
  let body: unknown;
  try {
    response = await fetch(path, { ...init, signal: clock.signal });
    body = await response.json();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw noAnswer(String(error));
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
  if (!response.ok && !isDecision(response.status, body)) throw noAnswer(`HTTP ${response.status}`);
  server.answered();
  if (response.ok) return body;
  throw new Refused(body as Problem);
}

function noAnswer(why: string): NoAnswer {
  server.failed();
  return new NoAnswer(why);
}

/** Only the server's own "no" counts; what a proxy or an overloaded machine says does not. */
function isDecision(status: number, body: unknown): body is Problem {
  const worded = typeof body === "object" && body !== null && "code" in body && "detail" in body;
  return worded && status >= 400 && status < 500 && status !== 408 && status !== 425 && status !== 429;
}
