// HTTP with JSON bodies. A refusal by the server throws `RefusedError`, no usable answer throws `NoAnswerError`. This module shows
// nothing to people.

import { server } from "./server-state";
import type { Problem } from "./types";

/** The server decided against the request. */
export class RefusedError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** The network failed, it took too long, or the server could not answer (5xx): the request may or may not have had effect. */
export class NoAnswerError extends Error {}

export const ANSWER_MS_MAX = 10_000;

export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  const init: RequestInit = { headers: { Accept: "application/json" } };
  return (await request(path, init, signal)) as T;
}

export async function postJson<T>(path: string, body: unknown, key: string): Promise<T> {
  const headers = { "Content-Type": "application/json", Accept: "application/json", "Idempotency-Key": key };
  return (await request(path, { method: "POST", headers, body: JSON.stringify(body) })) as T;
}

/** A query string without empty parameters. */
export function query(parameters: Record<string, string | number | null | undefined>): string {
  const pairs = Object.entries(parameters).filter(([, value]) => (value ?? "") !== "");
  return pairs.length ? `?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString()}` : "";
}

/** A tag as one segment of a path; its slashes are encoded too. */
export const inPath = (tag: string): string => encodeURIComponent(tag);

async function request(path: string, init: RequestInit, signal?: AbortSignal): Promise<unknown> {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const timer = setTimeout(abort, ANSWER_MS_MAX);
  signal?.addEventListener("abort", abort);
  let response: Response;
  let body: unknown;
  try {
    response = await fetch(path, { ...init, signal: controller.signal });
    body = await response.json();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw noAnswer(String(error));
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
  if (!response.ok && !isRefusal(response.status, body)) throw noAnswer(`HTTP ${response.status}`);
  server.answered();
  if (response.ok) return body;
  throw new RefusedError(body as Problem);
}

function noAnswer(reason: string): NoAnswerError {
  server.failed();
  return new NoAnswerError(reason);
}

/** Only the server's own refusal counts; an error page of a proxy or of an overloaded machine does not. */
function isRefusal(status: number, body: unknown): body is Problem {
  const isProblem = typeof body === "object" && body !== null && "code" in body && "detail" in body;
  return isProblem && status >= 400 && status < 500 && status !== 408 && status !== 425 && status !== 429;
}
