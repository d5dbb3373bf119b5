/** The memory that the main thread and one worker share: interrupts, output, replies. */

import type { Stream } from "../protocol.ts";

const INTERRUPT = 0;
const PENDING = 1;
const REPLY_REQUEST = 2;
const BLOCK_NUMBER = 4;
const BLOCK_USED = 5;
const BLOCK_STREAM = 6;
const BLOCK_RUN = 7;
const BLOCK_AFTER = 8;
const GATHERING = 9;
const REPLY_STATE = 10;
const REPLY_USED = 11;
const ORIGIN = 12;
/** For each stream, the program of which nobody reads it any more. */
const BROKEN = 13;
const KILLED = 14;
const WORDS_SIZE = 64;
const SIGINT = 2;
const SIGKILL = 9;
const SIGURG = 23;
const SIGUSR1 = 10;
const STREAMS: Stream[] = ["stdout", "stderr"];

/** Bytes of output that are collected before they are sent. */
export const BLOCK_SIZE = 64 << 10;

/** The most bytes of one part of the reply to a blocking request. */
const REPLY_SIZE = 64 << 10;
const REPLY = { none: 0, part: 1, last: 2 };
/** Milliseconds between two checks of a worker that waits for a reply. */
const REPLY_LOOK = 50;

/** How long a worker waits for a reply. */
export interface ReplyPatience {
  ms?: number;
  /** Whether an interrupt leaves the wait alone. */
  uninterrupted?: boolean;
}

interface ReplyPart {
  data: Uint8Array;
  last: boolean;
}

/** Output that a worker has collected and not sent yet. */
export interface PendingOutput {
  /** Which of the worker's blocks it is. */
  number: number;
  run: number;
  stream: Stream;
  /** How many messages the worker had sent before it. */
  after: number;
  data: Uint8Array<ArrayBuffer>;
}

/** Bytes of output that may be on their way before the worker waits. */
export const OUTPUT_WINDOW = 4 << 20;

/** What a message counts there besides its bytes: many short ones keep the reader busier than a long one. */
const MESSAGE_COST = 1 << 10;

/** What a block of output counts in the window. */
export const costOfOutput = (data: Uint8Array): number => data.length + MESSAGE_COST;

/** The same for a program whose reader takes its output: as many as a real pipe holds. */
const PIPE_WINDOW = 64 << 10;
/** Milliseconds between two checks of a program that waits for its reader. */
const PIPE_LOOK = 50;

export class SharedMemory {
  readonly #words: Int32Array;
  /** Pyodide reads a signal number here. */
  readonly interruptByte: Uint8Array;
  /** Where the worker collects output; the main thread reads it if the worker is too busy to send. */
  readonly block: Uint8Array;
  readonly #reply: Uint8Array;

  constructor(readonly buffer: SharedArrayBuffer = new SharedArrayBuffer(WORDS_SIZE + BLOCK_SIZE + REPLY_SIZE)) {
    this.#words = new Int32Array(buffer, 0, WORDS_SIZE / 4);
    this.interruptByte = new Uint8Array(buffer, 0, 1);
    this.block = new Uint8Array(buffer, WORDS_SIZE, BLOCK_SIZE);
    this.#reply = new Uint8Array(buffer, WORDS_SIZE + BLOCK_SIZE, REPLY_SIZE);
  }

  /** Called by the worker: a new, empty block starts. */
  beginBlock(run: number, stream: Stream, after: number): number {
    Atomics.store(this.#words, BLOCK_USED, 0);
    const number = Atomics.add(this.#words, BLOCK_NUMBER, 1) + 1;
    Atomics.store(this.#words, BLOCK_RUN, run);
    Atomics.store(this.#words, BLOCK_STREAM, STREAMS.indexOf(stream));
    Atomics.store(this.#words, BLOCK_AFTER, after);
    return number;
  }

  /** Called by the worker: this much of the block is filled. */
  fillBlock(used: number): void {
    Atomics.store(this.#words, BLOCK_USED, used);
  }

  /** Called by the main thread: a copy of the block as it is; null if it is empty or being changed. */
  peekBlock(): PendingOutput | null {
    const number = Atomics.load(this.#words, BLOCK_NUMBER);
    const used = Math.min(Atomics.load(this.#words, BLOCK_USED), BLOCK_SIZE);
    const run = Atomics.load(this.#words, BLOCK_RUN);
    const stream = STREAMS[Atomics.load(this.#words, BLOCK_STREAM)];
    const after = Atomics.load(this.#words, BLOCK_AFTER);
    const data = this.block.slice(0, used) as Uint8Array<ArrayBuffer>;
    const same = number === Atomics.load(this.#words, BLOCK_NUMBER);
    return same && used > 0 && stream ? { number, run, stream, after, data } : null;
  }

  get interrupted(): boolean {
    return Atomics.load(this.#words, INTERRUPT) === SIGINT || this.killed;
  }

  interrupt(): void {
    Atomics.store(this.#words, INTERRUPT, SIGINT);
    Atomics.notify(this.#words, INTERRUPT);
  }

  /** Hands a signal to a program that handles it; an interrupt takes precedence. */
  deliver(signal: number): void {
    if (signal === SIGINT) return this.interrupt();
    Atomics.compareExchange(this.#words, INTERRUPT, 0, signal);
    Atomics.notify(this.#words, INTERRUPT);
  }

  /** Whether a signal waits for the worker's program. */
  get signalled(): boolean {
    return Atomics.load(this.#words, INTERRUPT) !== 0 || this.killed;
  }

  /** Called by the worker: whether it was interrupted since the last call. */
  takeInterrupt(): boolean {
    return Atomics.compareExchange(this.#words, INTERRUPT, SIGINT, 0) === SIGINT;
  }

  /** Whether the worker must end at once, whatever is lost. */
  get killed(): boolean {
    return Atomics.load(this.#words, KILLED) !== 0;
  }

  /** For good: Python takes a signal out of its byte when it sees one, but not this. */
  kill(): void {
    Atomics.store(this.#words, KILLED, 1);
    Atomics.store(this.#words, INTERRUPT, SIGKILL);
    Atomics.notify(this.#words, INTERRUPT);
  }

  /** The run that the worker computes for, even if it is over; 0 if it waits or the run is unknown. */
  get origin(): number {
    return Atomics.load(this.#words, ORIGIN);
  }

  set origin(run: number) {
    Atomics.store(this.#words, ORIGIN, run);
  }

  /** Called by the worker: waits this long; false if it is interrupted. */
  sleep(ms: number): boolean {
    return this.waiting(() => this.#sleep(ms));
  }

  /** Called by the worker: what it waits for is not counted as computing. */
  waiting<T>(wait: () => T): T {
    const { origin } = this;
    this.origin = 0;
    try {
      return wait();
    } finally {
      this.origin = origin;
    }
  }

  #sleep(ms: number): boolean {
    const end = performance.now() + ms;
    for (let left = ms; left > 0 && !this.interrupted; left = end - performance.now()) {
      Atomics.wait(this.#words, INTERRUPT, Atomics.load(this.#words, INTERRUPT), Math.min(left, 1000));
    }
    return !this.interrupted;
  }

  /** Called by the worker before it sends a blocking request. */
  clearReply(): void {
    Atomics.store(this.#words, REPLY_STATE, REPLY.none);
  }

  /** Called by the worker: waits for the next part of the reply to its request; null if the wait ends before. */
  awaitReply(request: number, patience: ReplyPatience = {}): ReplyPart | null {
    return this.waiting(() => this.#awaitReply(request, patience));
  }

  #awaitReply(request: number, { ms = Infinity, uninterrupted = false }: ReplyPatience): ReplyPart | null {
    const end = performance.now() + ms;
    for (;;) {
      const state = Atomics.load(this.#words, REPLY_STATE);
      if (state !== REPLY.none) {
        const own = Atomics.load(this.#words, REPLY_REQUEST) === request;
        const data = this.#reply.slice(0, Math.min(Atomics.load(this.#words, REPLY_USED), REPLY_SIZE));
        this.clearReply();
        if (own) return { data, last: state === REPLY.last };
        // A late reply to a request that was given up.
        continue;
      }
      if (!uninterrupted && this.interrupted || performance.now() >= end) return null;
      Atomics.wait(this.#words, REPLY_STATE, REPLY.none, REPLY_LOOK);
    }
  }

  /** Called by the main thread: hands over as much of a reply as fits, and returns the rest. */
  writeReply(request: number, data: Uint8Array): Uint8Array {
    const part = data.subarray(0, REPLY_SIZE);
    this.#reply.set(part);
    Atomics.store(this.#words, REPLY_REQUEST, request);
    Atomics.store(this.#words, REPLY_USED, part.length);
    Atomics.store(this.#words, REPLY_STATE, part.length < data.length ? REPLY.part : REPLY.last);
    Atomics.notify(this.#words, REPLY_STATE);
    return data.subarray(part.length);
  }

  /** Makes Python flush its output; an interrupt takes precedence. */
  requestFlush(): void {
    Atomics.compareExchange(this.#words, INTERRUPT, 0, SIGURG);
  }

  /** Makes Python end code that computes for no run; an interrupt takes precedence. */
  requestBackgroundStop(): void {
    Atomics.compareExchange(this.#words, INTERRUPT, 0, SIGUSR1);
  }

  /** Called by the worker: it has noticed, and has stopped computing. */
  clearBackgroundStop(): void {
    Atomics.compareExchange(this.#words, INTERRUPT, SIGUSR1, 0);
  }

  /** Whether Python collects its output and must be reminded of it. */
  get gathering(): boolean {
    return Atomics.load(this.#words, GATHERING) !== 0;
  }

  set gathering(value: boolean) {
    Atomics.store(this.#words, GATHERING, value ? 1 : 0);
  }

  /** Called by the worker: it has noticed the interrupt. */
  clearInterrupt(): void {
    Atomics.store(this.#words, INTERRUPT, 0);
  }

  /** Called by the main thread: what was meant for an earlier run must not reach the next. */
  clear(): void {
    Atomics.store(this.#words, KILLED, 0);
    this.clearInterrupt();
  }

  /** Called by the worker before it posts output: waits while too much is on its way. */
  reserveOutput(bytes: number): void {
    let pending = Atomics.load(this.#words, PENDING);
    while (pending > OUTPUT_WINDOW && !this.interrupted) {
      Atomics.wait(this.#words, PENDING, pending, 20);
      pending = Atomics.load(this.#words, PENDING);
    }
    Atomics.add(this.#words, PENDING, bytes);
  }

  /** Called by a program before it posts output: waits while its reader has not taken enough; false if it has none. */
  reservePipe(program: number, stream: Stream, bytes: number): boolean {
    for (;;) {
      const pending = Atomics.load(this.#words, PENDING);
      if (this.isBroken(program, stream)) return false;
      if (pending < PIPE_WINDOW || this.interrupted) break;
      Atomics.wait(this.#words, PENDING, pending, PIPE_LOOK);
    }
    Atomics.add(this.#words, PENDING, bytes);
    return true;
  }

  /** Whether nobody reads a stream of this program any more. */
  isBroken(program: number, stream: Stream): boolean {
    return Atomics.load(this.#words, BROKEN + STREAMS.indexOf(stream)) === program;
  }

  /** Called by the main thread: nobody reads a stream of this program any more. */
  breakStream(program: number, stream: Stream): void {
    Atomics.store(this.#words, BROKEN + STREAMS.indexOf(stream), program);
    Atomics.notify(this.#words, PENDING);
  }

  /** Called by the main thread when output was sent. */
  releaseOutput(bytes: number): void {
    Atomics.sub(this.#words, PENDING, bytes);
    Atomics.notify(this.#words, PENDING);
  }
}
