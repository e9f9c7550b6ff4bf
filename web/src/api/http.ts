// HTTP with JSON bodies. A refusal by the server throws `RefusedError`, no usable answer throws `NoAnswerError`. This module shows
// nothing to people.

import { reportRefusal } from "./identity-refusals";
import { reportReceipt } from "./receipt-listener";
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
export class NoAnswerError extends Error {
  /** What the server said, if it said why it could not. */
  readonly problem: Problem | undefined;
  /** Of the answer, if one came at all: perhaps a proxy's. */
  readonly status: number | undefined;

  constructor(reason: string, problem?: Problem, status?: number) {
    super(reason);
    this.problem = problem;
    this.status = status;
  }
}

export const ANSWER_MS_MAX = 10_000;
/** Of one request: browsers keep at most 64 KiB alive after a page, of all its requests together. */
const KEEPALIVE_CHARS_MAX = 48 * 1024;
const JSON_HEADERS = { "Content-Type": "application/json", Accept: "application/json" };

export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  const init: RequestInit = { headers: { Accept: "application/json" } };
  return (await request(path, init, signal)) as T;
}

export const postJson = async <T>(path: string, body: unknown, key: string): Promise<T> =>
  (await postText(path, JSON.stringify(body), key)) as T;

/** Sends exactly these bytes; `signature` is the header `Carrete-Tap` of a signed tap. */
export async function postText(path: string, body: string, key: string, signature?: string): Promise<unknown> {
  const headers = { ...JSON_HEADERS, "Idempotency-Key": key, ...(signature !== undefined && { "Carrete-Tap": signature }) };
  const answer = await request(path, { method: "POST", headers, body });
  reportReceipt(answer);
  return answer;
}

/** For calls whose answer the server does not keep: they take no idempotency key. */
export async function postSecret<T>(path: string, body: unknown, ms_max = ANSWER_MS_MAX): Promise<T> {
  const init: RequestInit = { method: "POST", headers: JSON_HEADERS, body: JSON.stringify(body) };
  return (await request(path, init, undefined, ms_max)) as T;
}

/** A file, as it is. */
export async function postBytes<T>(path: string, bytes: ArrayBuffer, type: string, ms_max: number): Promise<T> {
  const init: RequestInit = { method: "POST", headers: { "Content-Type": type, Accept: "application/json" }, body: bytes };
  return (await request(path, init, undefined, ms_max)) as T;
}

/** It is sent also if the page is closed meanwhile, unless the body is too long for that. */
export async function deleteJson(path: string, body: object | null = null): Promise<unknown> {
  if (body === null) return request(path, { method: "DELETE", headers: { Accept: "application/json" }, keepalive: true });
  const text = JSON.stringify(body);
  return request(path, { method: "DELETE", headers: JSON_HEADERS, body: text, keepalive: text.length <= KEEPALIVE_CHARS_MAX });
}

/** A query string without empty parameters. */
export function query(parameters: Record<string, string | number | null | undefined>): string {
  const pairs = Object.entries(parameters).filter(([, value]) => (value ?? "") !== "");
  return pairs.length ? `?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString()}` : "";
}

/** A tag as one segment of a path; its slashes are encoded too. */
export const inPath = (tag: string): string => encodeURIComponent(tag);

async function request(path: string, init: RequestInit, signal?: AbortSignal, ms_max = ANSWER_MS_MAX): Promise<unknown> {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const timer = setTimeout(abort, ms_max);
  signal?.addEventListener("abort", abort);
  let response: Response | undefined;
  let body: unknown;
  try {
    response = await fetch(path, { ...init, signal: controller.signal });
    body = response.status === 204 ? null : await response.json();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw noAnswer(String(error), undefined, response?.status);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
  return accepted(response.status, body);
}

/** The body of a good answer; throws for any other. */
export function accepted(status: number, body: unknown): unknown {
  const ok = status >= 200 && status < 300;
  if (!ok && !isRefusal(status, body)) throw noAnswer(`HTTP ${status}`, isProblem(body) ? body : undefined, status);
  server.answered();
  if (ok) return body;
  reportRefusal(body as Problem);
  throw new RefusedError(body as Problem);
}

export function noAnswer(reason: string, problem?: Problem, status?: number): NoAnswerError {
  server.failed();
  return new NoAnswerError(reason, problem, status);
}

/** Only the server's own refusal counts; an error page of a proxy or of an overloaded machine does not. */
function isRefusal(status: number, body: unknown): body is Problem {
  if (isProblem(body) && status === 429) return body.code === "DEMASIADOS_INTENTOS"; // of a PIN; else the server is busy
  return isProblem(body) && status >= 400 && status < 500 && status !== 408 && status !== 425;
}

const isProblem = (body: unknown): body is Problem =>
  typeof body === "object" && body !== null && "code" in body && "detail" in body;
