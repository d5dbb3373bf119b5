/** Requests to the server: JSON in, JSON out, and one kind of error. */

import type { ProblemDetails } from "./types.ts";

/** What the server, or the way to it, says went wrong. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly fix: string;
  readonly id: string;

  constructor(details: Partial<ProblemDetails> & { status: number }) {
    super(details.detail || details.title || `the server answered ${details.status}`);
    this.status = details.status;
    this.code = details.code ?? "";
    this.fix = details.fix ?? "";
    this.id = details.id ?? "";
  }

  /** Whether the server was not reached at all. */
  get away(): boolean {
    return this.status === 0;
  }
}

export interface Asked {
  method?: string;
  body?: unknown;
  /** Sent as it is, instead of `body`. */
  data?: BodyInit;
  query?: Record<string, string | number | boolean | undefined>;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export function makeAddress(path: string, query: Asked["query"] = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined).map((
    [key, value],
  ) => [key, `${value}`]);
  return given.length ? `/api${path}?${new URLSearchParams(given)}` : `/api${path}`;
}

/** The response to a request; throws Problem unless it succeeded. */
export async function request(path: string, asked: Asked = {}): Promise<Response> {
  const { method = asked.body === undefined && asked.data === undefined ? "GET" : "POST", body, data, query } = asked;
  const headers = { ...(body === undefined ? {} : { "content-type": "application/json" }), ...asked.headers };
  const sent = body === undefined ? data : JSON.stringify(body);
  let response: Response;
  try {
    response = await fetch(makeAddress(path, query), { method, headers, body: sent, signal: asked.signal });
  } catch (error) {
    if (asked.signal?.aborted) throw error;
    throw new Problem({ status: 0, code: "away", detail: "The server cannot be reached.", fix: "Is it running?" });
  }
  if (!response.ok) throw await readProblem(response);
  return response;
}

/** The answer to a request in JSON; null if it has no body. */
export async function ask<T>(path: string, asked: Asked = {}): Promise<T> {
  const response = await request(path, asked);
  return (response.status === 204 ? null : await response.json()) as T;
}

async function readProblem(response: Response): Promise<Problem> {
  try {
    return new Problem({ ...await response.json(), status: response.status });
  } catch {
    return new Problem({ status: response.status, detail: response.statusText });
  }
}
