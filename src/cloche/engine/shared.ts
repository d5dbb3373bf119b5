/** The few words of memory that the main thread and one worker share. */

import type { Code } from "./fs/files.ts";

const INTERRUPT = 0;
const PENDING = 1;
const AID_STATE = 2;
const AID_CODE = 3;
const SIGINT = 2;
const AID_TIMEOUT = 5000;
const CODES: (Code | null)[] = [
  null,
  "EACCES",
  "EEXIST",
  "ENOENT",
  "ENOTDIR",
  "EROFS",
  "ENOSPC",
  "ENAMETOOLONG",
  "EIO",
];

/** Bytes of output that may be on their way before the worker waits. */
export const OUTPUT_WINDOW = 4 << 20;

export class Shared {
  readonly #words: Int32Array;
  /** Pyodide looks here for a signal number. */
  readonly interruptByte: Uint8Array;

  constructor(readonly buffer: SharedArrayBuffer = new SharedArrayBuffer(64)) {
    this.#words = new Int32Array(buffer);
    this.interruptByte = new Uint8Array(buffer, 0, 1);
  }

  get interrupted(): boolean {
    return Atomics.load(this.#words, INTERRUPT) !== 0;
  }

  interrupt(): void {
    Atomics.store(this.#words, INTERRUPT, SIGINT);
  }

  clear(): void {
    Atomics.store(this.#words, INTERRUPT, 0);
  }

  /** Called by the worker before it posts output: waits while too much is on its way. */
  announce(bytes: number): void {
    let pending = Atomics.load(this.#words, PENDING);
    while (pending > OUTPUT_WINDOW && !this.interrupted) {
      Atomics.wait(this.#words, PENDING, pending, 20);
      pending = Atomics.load(this.#words, PENDING);
    }
    Atomics.add(this.#words, PENDING, bytes);
  }

  /** Called by the main thread when output has left the process. */
  delivered(bytes: number): void {
    Atomics.sub(this.#words, PENDING, bytes);
    Atomics.notify(this.#words, PENDING);
  }

  /** Called by the worker: sends a wish to the host and waits for the answer. */
  awaitAid(send: () => void): Code | null {
    Atomics.store(this.#words, AID_STATE, 0);
    send();
    const waited = Atomics.wait(this.#words, AID_STATE, 0, AID_TIMEOUT);
    return waited === "timed-out" ? "EIO" : CODES[Atomics.load(this.#words, AID_CODE)] ?? null;
  }

  answerAid(code: Code | null): void {
    const index = CODES.indexOf(code);
    Atomics.store(this.#words, AID_CODE, index < 0 ? CODES.indexOf("EIO") : index);
    Atomics.store(this.#words, AID_STATE, 1);
    Atomics.notify(this.#words, AID_STATE);
  }
}
