/** Requests of a worker to the host, and their replies: JSON, and bytes in both directions that flow by credit. */

import type { RunLimits } from "../limits.ts";
import type { FromWorker, HostRequest, RequestFailure, ToWorker } from "../protocol.ts";
import { type ProgramStreams, RunningProgram } from "./programs/streams.ts";
import { RequestError } from "./request_errors.ts";

const PIECE = 256 << 10;
/** Bytes on their way between two programs of the sandbox before the receiver has taken them. */
export const LOOPBACK_WINDOW = 256 << 10;
/** Connections inside the sandbox: the host has no part in them. */
const LOOPBACK = new Set(["accept", "connect"]);
const LONGEST_TIMER = 2 ** 31 - 1;
const REQUEST_LIMIT = 1 << 20;
const TOO_LONG: RequestFailure = { type: "TooLong", message: `a request is longer than ${REQUEST_LIMIT} characters` };

type End = Extract<ToWorker, { op: "end" }>;
type Sent = Extract<FromWorker, { request: number }>;
type Received = Extract<ToWorker, { request: number }>;

/** One request and its reply. */
export interface OpenRequest {
  /** What the host answered; rejects with RequestError, or when the run is cancelled. */
  readonly data: Promise<unknown>;
  /** The next piece of the answer's bytes, null at their end. */
  read(): Promise<Uint8Array | null>;
  /** Waits until the answer, bytes of it, or room for bytes to it is available; false on a timeout. */
  until(state: RequestState, patience?: WaitOptions): Promise<boolean>;
  /** What read() would return now; undefined if it would wait. */
  next(): Uint8Array | null | undefined;
  /** More bytes for a request whose body was left open; returns how many still wait to be sent. */
  write(piece: Uint8Array): number;
  /** The body that was left open is complete. */
  finish(): void;
  /** Whether the host is done with it: it sends and takes nothing more. */
  readonly ended: boolean;
  /** The rest is not needed: the host stops. */
  close(): void;
  /** The same, once everything that was written is sent. */
  closeWhenSent(): void;
  /** Calls `look` whenever something has changed, until the function that it returns is called. */
  watch(look: () => void): () => void;
  /** Whether until() would return at once. */
  is(state: RequestState): boolean;
}

export type RequestState = "answered" | "bytes" | "room";

export interface WaitOptions {
  ms?: number;
  /** Whether cancelling the run leaves this wait alone, because the caller is notified in another way. */
  calm?: boolean;
}

/** A body whose bytes come later, by write() and finish(). */
export const OPEN = Symbol("open");
export type RequestBody = Uint8Array | Uint8Array[] | typeof OPEN | null;

/**
 * Makes a wait that a cancel of the run rejects; `start` gets what settles it and returns what cleans up.
 * `forProgram` says that another program is waited for.
 */
type AddWait = <T>(start: (resolve: (value: T) => void) => () => void, forProgram?: boolean) => Promise<T>;

export class OpenRequests {
  readonly #open = new Map<number, Exchange>();
  /** Which of them are connections inside the sandbox. */
  readonly #inside = new Set<number>();
  /** Requests that wait until others have ended. */
  readonly #waiting = new Map<number, () => void>();
  /** Requests that are answered with data alone. */
  readonly #calls = new Map<number, (end: End) => void>();
  /** Programs by what stops them. */
  readonly #stops = new WeakMap<AbortSignal, number>();
  /** Programs whose bytes flow. */
  readonly #programs = new Map<number, RunningProgram>();
  #last = 0;

  constructor(
    private readonly post: (message: Sent, transfer?: Transferable[]) => void,
    private readonly wait: AddWait,
    private readonly limits: Pick<RunLimits, "hostRequests" | "requestWindow">,
  ) {}

  open(run: number, content: HostRequest, body: RequestBody = null): OpenRequest {
    const request = ++this.#last;
    const inside = LOOPBACK.has(content.kind);
    if (inside) this.#inside.add(request);
    const exchange = new Exchange(
      request,
      this.post,
      this.wait,
      inside ? LOOPBACK_WINDOW : this.limits.requestWindow,
      () => this.#forget(request),
    );
    const begin = () => {
      this.#open.set(request, exchange);
      exchange.begin(run, content);
    };
    exchange.upload(body);
    if (JSON.stringify(content).length > REQUEST_LIMIT) exchange.receive({ op: "end", request, error: TOO_LONG });
    // The other half is left to other workers.
    else if (inside || this.#open.size - this.#inside.size < this.limits.hostRequests / 2) begin();
    else this.#waiting.set(request, begin);
    return exchange;
  }

  /** Waits until `ready`, which changes of these requests may bring about; false on a timeout. */
  waitForAny(asked: OpenRequest[], ready: () => boolean, ms?: number): Promise<boolean> {
    if (ready()) return Promise.resolve(true);
    return this.wait((resolve) => {
      const stops = asked.map((each) => each.watch(() => ready() && settle(true)));
      const timer = ms === undefined ? undefined : setTimeout(() => settle(false), Math.min(ms, LONGEST_TIMER));
      const clean = () => {
        for (const stop of stops) stop();
        clearTimeout(timer);
      };
      const settle = (met: boolean) => {
        clean();
        resolve(met);
      };
      return clean;
    });
  }

  /**
   * One of the engine's own requests, which has no bytes and does not count; settles with the answer. `stop` makes it
   * end early, which is an answer too.
   */
  async call(run: number, content: HostRequest, stop?: AbortSignal, streams?: ProgramStreams): Promise<unknown> {
    const request = ++this.#last;
    const program = streams && new RunningProgram(request, streams, this.post);
    if (program) this.#programs.set(request, program);
    const forProgram = content.kind === "program";
    stop?.addEventListener("abort", () => this.post({ op: "abort", request }));
    if (stop) this.#stops.set(stop, request);
    const { data, error } = await this.wait<End>((resolve) => {
      this.#calls.set(request, resolve);
      this.post({ op: "request", request, run, content, complete: true });
      return () => {
        this.#programs.delete(request);
        // It was cancelled: the router ends programs by itself.
        if (this.#calls.delete(request) && !forProgram) this.post({ op: "abort", request });
      };
    }, forProgram);
    await program?.written;
    if (error) throw new RequestError(error.type, error.message);
    return data ?? null;
  }

  /** Starts a program that nobody waits for: no cancel of the run ends this. */
  launch(run: number, content: HostRequest, stop: AbortSignal): Promise<unknown> {
    const request = ++this.#last;
    stop.addEventListener("abort", () => this.post({ op: "abort", request }));
    this.#stops.set(stop, request);
    return new Promise((resolve) => {
      this.#calls.set(request, ({ data }) => resolve(data));
      this.post({ op: "request", request, run, content, complete: true });
    });
  }

  /** Sends a signal to the program that `stop` would end. */
  signal(stop: AbortSignal, signal: number): void {
    const request = this.#stops.get(stop);
    if (request !== undefined) this.post({ op: "signal", request, signal });
  }

  receive(message: Received): void {
    const call = this.#calls.get(message.request);
    if (!call) this.#open.get(message.request)?.receive(message);
    else if (message.op === "end") {
      this.#calls.delete(message.request);
      call(message);
    } else this.#programs.get(message.request)?.receive(message);
  }

  #forget(request: number): void {
    this.#waiting.delete(request);
    if (!this.#open.delete(request) || this.#inside.delete(request)) return;
    const [next] = this.#waiting;
    if (!next) return;
    this.#waiting.delete(next[0]);
    next[1]();
  }
}

class Exchange implements OpenRequest {
  readonly #pieces: Uint8Array[] = [];
  #answer: { data: unknown } | undefined;
  #failure: RequestFailure | undefined;
  #ended = false;
  #closed = false;
  /** Whether all bytes of the answer have arrived, though it still takes some. */
  #received = false;
  #leaves = false;
  #taken = 0;
  #credit: number;
  readonly #outgoing: Uint8Array[] = [];
  #queued = 0;
  #complete = false;
  #begun = false;
  #sent = false;
  readonly #waiting = new Set<() => void>();

  constructor(
    private readonly number: number,
    private readonly post: (message: Sent, transfer?: Transferable[]) => void,
    private readonly wait: AddWait,
    /** Bytes that may be on their way in one direction before the receiver has taken them. */
    private readonly window: number,
    private readonly forget: () => void,
  ) {
    this.#credit = window;
  }

  get ended(): boolean {
    return this.#ended;
  }

  get data(): Promise<unknown> {
    return this.until("answered").then(() => {
      if (this.#answer === undefined && this.#failure) {
        throw new RequestError(this.#failure.type, this.#failure.message);
      }
      return this.#answer?.data ?? null;
    });
  }

  async read(): Promise<Uint8Array | null> {
    await this.until("bytes");
    return this.next() ?? null;
  }

  next(): Uint8Array | null | undefined {
    const piece = this.#pieces.shift();
    if (piece) {
      this.#taken += piece.length;
      if (!this.#ended && this.#taken >= this.window / 4) {
        this.post({ op: "credit", request: this.number, bytes: this.#taken });
        this.#taken = 0;
      }
      return piece;
    }
    if (!this.#ended) return this.#received ? null : undefined;
    if (this.#failure) throw new RequestError(this.#failure.type, this.#failure.message);
    return null;
  }

  close(): void {
    if (this.#begun && !this.#ended && !this.#closed) this.post({ op: "abort", request: this.number });
    this.#closed = true;
    this.#pieces.length = 0;
    this.#end({ type: "Closed", message: "the answer was closed" });
  }

  closeWhenSent(): void {
    this.#leaves = true;
    this.finish();
  }

  watch(look: () => void): () => void {
    this.#waiting.add(look);
    return () => this.#waiting.delete(look);
  }

  begin(run: number, content: HostRequest): void {
    this.#begun = true;
    const complete = this.#complete && this.#queued === 0;
    this.#sent = complete;
    this.post({ op: "request", request: this.number, run, content, complete });
    this.#send();
  }

  upload(body: RequestBody): void {
    if (body === OPEN) return;
    for (const part of body instanceof Uint8Array ? [body] : body ?? []) this.#add(part);
    this.finish();
  }

  write(piece: Uint8Array): number {
    this.#add(piece);
    this.#send();
    return this.#queued;
  }

  finish(): void {
    this.#complete = true;
    this.#send();
  }

  until(state: RequestState, { ms, calm }: WaitOptions = {}): Promise<boolean> {
    if (this.is(state)) return Promise.resolve(true);
    const start = (resolve: (value: boolean) => void) => {
      const look = () => {
        if (this.is(state)) settle(true);
      };
      const clean = () => {
        this.#waiting.delete(look);
        clearTimeout(timer);
      };
      const settle = (met: boolean) => {
        clean();
        resolve(met);
      };
      const timer = ms === undefined ? undefined : setTimeout(settle, Math.min(ms, LONGEST_TIMER), false);
      this.#waiting.add(look);
      return clean;
    };
    return calm ? new Promise(start) : this.wait(start);
  }

  receive(message: Received): void {
    switch (message.op) {
      case "response":
        this.#answer ??= { data: message.data };
        break;
      case "chunk":
        if (!this.#closed && message.data.length > 0) this.#pieces.push(message.data);
        if (message.last) this.#received = true;
        break;
      case "credit":
        this.#credit += message.bytes;
        this.#send();
        break;
      case "end":
        if (message.data !== undefined) this.#answer ??= { data: message.data };
        return this.#end(message.error);
    }
    this.#wake();
  }

  is(state: RequestState): boolean {
    if (this.#ended) return true;
    if (state === "answered") return this.#answer !== undefined;
    return state === "bytes" ? this.#pieces.length > 0 || this.#received : this.#queued === 0;
  }

  #add(part: Uint8Array): void {
    if (this.#ended || this.#complete || part.length === 0) return;
    this.#outgoing.push(part);
    this.#queued += part.length;
  }

  #send(): void {
    if (!this.#begun) return;
    while (this.#credit > 0 && this.#outgoing.length > 0) {
      const [part] = this.#outgoing;
      const data = part.slice(0, PIECE) as Uint8Array<ArrayBuffer>;
      if (data.length < part.length) this.#outgoing[0] = part.subarray(data.length);
      else this.#outgoing.shift();
      this.#credit -= data.length;
      this.#queued -= data.length;
      this.post({ op: "chunk", request: this.number, data }, [data.buffer]);
    }
    if (!this.#complete || this.#queued > 0 || this.#ended) return;
    if (!this.#sent) this.post({ op: "end", request: this.number });
    this.#sent = true;
    if (this.#leaves) this.close();
  }

  #end(error: RequestFailure | null): void {
    if (!this.#ended) this.#failure = error ?? undefined;
    this.#ended = true;
    this.#outgoing.length = this.#queued = 0;
    this.forget();
    this.#wake();
  }

  #wake(): void {
    for (const look of [...this.#waiting]) look();
  }
}
