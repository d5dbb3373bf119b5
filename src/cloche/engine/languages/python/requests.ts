/** Python's requests to the host: handles, and bytes copied from and into Python's own buffers. */

import {
  OPEN,
  type OpenRequest,
  type RequestBody,
  type RequestState,
  type WaitOptions,
} from "../../worker/requests.ts";
import { RequestError } from "../../worker/request_errors.ts";
import type { HostRequest } from "../../protocol.ts";
import type { LanguageWorker } from "../language.ts";
import type { PyBuffer } from "./pyodide/types.ts";

interface Open {
  asked: OpenRequest;
  /** The rest of the last piece. */
  piece: Uint8Array;
}

const INTERRUPTED = JSON.stringify({ interrupted: true });
const LATE = JSON.stringify({ late: true });
const GONE = JSON.stringify({ error: { type: "Closed", message: "the answer was closed" } });
const EMPTY = new Uint8Array(0);
const LEAVE_MS = 2000;
/** What take() returns when there is nothing yet, or a failure that a wait reports. */
const WAIT = -1;
/** What can be done with a request at once; they can be added up. */
const [READABLE, WRITABLE, ANSWERED] = [1, 2, 4];

export class PythonRequests {
  readonly #open = new Map<number, Open>();
  #last = 0;

  constructor(
    private readonly ask: (question: HostRequest, body: RequestBody) => OpenRequest,
    private readonly waitFor: LanguageWorker["waitForAny"],
  ) {}

  /** The functions that Python gets; negative seconds mean no timeout. */
  services() {
    return {
      ask: (question: string, body: PyBuffer | null, open = false) => this.#ask(JSON.parse(question), body, open),
      answer: (handle: number, seconds = -1, calm = false) => this.#wait(handle, "answered", seconds, calm),
      piece: (handle: number, seconds = -1, calm = false) => this.#wait(handle, "bytes", seconds, calm),
      room: (handle: number, seconds = -1, calm = false) => this.#wait(handle, "room", seconds, calm),
      take: (handle: number, into: PyBuffer) => this.#take(handle, into),
      put: (handle: number, data: PyBuffer) => this.#put(handle, data),
      finish: (handle: number) => this.#open.get(handle)?.asked.finish(),
      leave: (handle: number) => this.#leave(handle),
      drop: (handle: number) => this.#drop(handle),
      close: (handle: number) => this.#close(handle),
      state: (handle: number) => this.#state(handle),
      poll: (wanted: string, seconds: number) => this.#poll(JSON.parse(wanted), seconds),
    };
  }

  #ask(question: HostRequest, body: PyBuffer | null, open: boolean): number {
    const handle = ++this.#last;
    const asked = this.ask(question, open ? OPEN : body ? copyOf(body) : null);
    if (open && body) asked.write(copyOf(body));
    this.#open.set(handle, { asked, piece: EMPTY });
    return handle;
  }

  /** Bytes that still wait to be sent, or that no more are wanted. */
  #put(handle: number, data: PyBuffer): number {
    const asked = this.#open.get(handle)?.asked;
    return !asked || asked.ended ? WAIT : asked.write(copyOf(data));
  }

  /** What can be done with it at once. */
  #state(handle: number): number {
    const open = this.#open.get(handle);
    if (!open) return READABLE | WRITABLE | ANSWERED;
    const { asked, piece } = open;
    const answered = asked.is("answered");
    return (answered && (piece.length > 0 || asked.is("bytes")) ? READABLE : 0) |
      (asked.is("room") ? WRITABLE : 0) | (answered ? ANSWERED : 0);
  }

  /** Waits until one of several can be used as is asked; a request without an answer is read by its answer. */
  async #poll(wanted: [handle: number, states: number][], seconds: number): Promise<string> {
    const ready = () => wanted.some(([handle, states]) => (this.#state(handle) & states) !== 0);
    const watched = wanted.flatMap(([handle]) => this.#open.get(handle)?.asked ?? []);
    try {
      return dataOf(await this.waitFor(watched, ready, seconds < 0 ? undefined : seconds * 1000));
    } catch {
      return INTERRUPTED;
    }
  }

  async #wait(handle: number, state: RequestState, seconds: number, calm: boolean): Promise<string> {
    const open = this.#open.get(handle);
    if (!open) return GONE;
    const patience: WaitOptions = { ms: seconds < 0 ? undefined : seconds * 1000, calm };
    try {
      const here = state === "bytes" && open.piece.length > 0;
      if (!here && !await open.asked.until(state, patience)) return LATE;
      if (state === "answered") return dataOf(await open.asked.data);
      if (state === "room") return dataOf(open.asked.ended);
      if (open.piece.length === 0) open.piece = open.asked.next() ?? EMPTY;
      return dataOf(open.piece.length);
    } catch (error) {
      return failureOf(error);
    }
  }

  /** Fills as much of a buffer as there is; 0 at the end. */
  #take(handle: number, into: PyBuffer): number {
    const open = this.#open.get(handle);
    if (!open) return 0;
    const view = into.getBuffer("u8");
    try {
      return fill(open, view.data);
    } finally {
      view.release();
    }
  }

  /** Everything wanted has been read. The host may still be cleaning up: stop it only if more arrives. */
  #leave(handle: number): void {
    const drop = () => this.#drop(handle);
    void this.#open.get(handle)?.asked.until("bytes", { ms: LEAVE_MS, calm: true }).then(drop);
  }

  #close(handle: number): void {
    this.#open.get(handle)?.asked.closeWhenSent();
    this.#open.delete(handle);
  }

  #drop(handle: number): void {
    this.#open.get(handle)?.asked.close();
    this.#open.delete(handle);
  }
}

function fill(open: Open, into: Uint8Array): number {
  let filled = 0;
  while (filled < into.length) {
    if (open.piece.length === 0) {
      const next = nextOf(open.asked);
      if (!next) return filled || (next === null ? 0 : WAIT);
      open.piece = next;
    }
    const part = open.piece.subarray(0, into.length - filled);
    into.set(part, filled);
    open.piece = open.piece.subarray(part.length);
    filled += part.length;
  }
  return filled;
}

/** The next piece; a failure is reported by the wait for it. */
function nextOf(asked: OpenRequest): Uint8Array | null | undefined {
  try {
    return asked.next();
  } catch {
    return undefined;
  }
}

function copyOf(buffer: PyBuffer): Uint8Array {
  const view = buffer.getBuffer("u8");
  try {
    return view.data.slice();
  } finally {
    view.release();
  }
}

function dataOf(data: unknown): string {
  return JSON.stringify({ data: data ?? null });
}

function failureOf(error: unknown): string {
  if (!(error instanceof RequestError)) return INTERRUPTED;
  return JSON.stringify({ error: { type: error.type, message: error.message } });
}
