/** A pipe in shared memory: its ends may be in different threads, and several processes may have each of them. */

import type { Bell } from "./bell.ts";

const HEAD = 0;
const TAIL = 1;
const LOCK = 2;
/** How many hold each end: those that read, then those that write. */
const HOLDERS = { read: 3, write: 4 };
const HEADER = 32;
/** As Linux has it. */
const CAPACITY = 65536;
/** What is written at once if it is no longer than this. */
const WHOLE = 4096;
const MOST_TRIES = 1e6;

export type PipeEnd = "read" | "write";

/** What `read` and `write` return if one has to wait. */
export const WAIT = -1;

export class SharedPipe {
  readonly #words: Int32Array;
  readonly #bytes: Uint8Array;

  constructor(
    private readonly bell: Pick<Bell, "ring">,
    readonly buffer: SharedArrayBuffer = new SharedArrayBuffer(HEADER + CAPACITY),
  ) {
    this.#words = new Int32Array(buffer, 0, HEADER / Int32Array.BYTES_PER_ELEMENT);
    this.#bytes = new Uint8Array(buffer, HEADER, CAPACITY);
  }

  /** One more holds an end. */
  hold(end: PipeEnd): void {
    Atomics.add(this.#words, HOLDERS[end], 1);
  }

  release(end: PipeEnd): void {
    Atomics.sub(this.#words, HOLDERS[end], 1);
    this.bell.ring();
  }

  /** Whether nobody holds an end. */
  isClosed(end: PipeEnd): boolean {
    return Atomics.load(this.#words, HOLDERS[end]) <= 0;
  }

  /** Bytes that can be read. */
  get size(): number {
    return (Atomics.load(this.#words, TAIL) - Atomics.load(this.#words, HEAD)) | 0;
  }

  get room(): number {
    return CAPACITY - this.size;
  }

  /** Fills as much as there is; 0 at the end. */
  read(into: Uint8Array): number {
    const closed = this.isClosed("write");
    const count = this.#locked(() => {
      const head = Atomics.load(this.#words, HEAD);
      const length = Math.min(this.size, into.length);
      for (let at = 0; at < length;) {
        const from = ((head + at) >>> 0) % CAPACITY;
        const part = this.#bytes.subarray(from, from + length - at);
        into.set(part, at);
        at += part.length;
      }
      Atomics.store(this.#words, HEAD, (head + length) | 0);
      return length;
    });
    if (count > 0) this.bell.ring();
    return count > 0 || closed || into.length === 0 ? count : WAIT;
  }

  /** Takes as much as there is room for; 0 if nobody can read it any more. */
  write(from: Uint8Array): number {
    if (this.isClosed("read")) return 0;
    const count = this.#locked(() => {
      const tail = Atomics.load(this.#words, TAIL);
      const { room } = this;
      if (from.length <= WHOLE && room < from.length) return 0;
      const length = Math.min(room, from.length);
      for (let at = 0; at < length;) {
        const to = ((tail + at) >>> 0) % CAPACITY;
        const part = from.subarray(at, at + Math.min(length - at, CAPACITY - to));
        this.#bytes.set(part, to);
        at += part.length;
      }
      Atomics.store(this.#words, TAIL, (tail + length) | 0);
      return length;
    });
    if (count > 0) this.bell.ring();
    return count > 0 ? count : WAIT;
  }

  /** Copies are short, so whoever comes second tries until the first is done; a thread that was ended never is. */
  #locked<T>(act: () => T): T {
    for (let tries = 0; tries < MOST_TRIES && Atomics.compareExchange(this.#words, LOCK, 0, 1) !== 0; tries++);
    try {
      return act();
    } finally {
      Atomics.store(this.#words, LOCK, 0);
    }
  }
}
