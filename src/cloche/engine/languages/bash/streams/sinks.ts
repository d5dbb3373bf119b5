/** Where output goes: the terminal, a pipe, a file, nowhere. */
import type { IFileSystem } from "just-bash";
import { toArray } from "./byte_strings.ts";
import { concatBytes } from "../../../text/bytes.ts";
import { ENDLESS_PART, UNKNOWN } from "./endless_sources.ts";

/** One destination of output. */
export interface Target {
  /** True where output is seen at once, outside of the shell. */
  readonly live: boolean;
  /** True when no more is wanted: a producer should stop. */
  readonly closed: boolean;
  /** Takes a byte string. */
  write(bytes: string): void;
  /** Takes bytes as they are, where that saves turning them into a string and back. */
  writeArray?(data: Uint8Array): void;
}

/** The two destinations of a command. */
export interface Sink {
  out: Target;
  err: Target;
  /** Where errors of the words being expanded go: a redirection of the command itself does not cover them. */
  expansions?: Target;
  /** Whether the program that runs has read its input to the end, where it says so. */
  drained?: boolean;
}

/** Swallows everything. */
export const NOWHERE: Target = { live: false, closed: false, write: () => {}, writeArray: () => {} };

/** Hands output to a function. */
export class Callback implements Target {
  readonly closed = false;
  constructor(readonly write: (bytes: string) => void, readonly live = true) {}
}

/** Keeps output in memory until the next stage of a pipeline, or a substitution, takes it. */
export class Pipe implements Target {
  readonly live = false;
  /** Why this holds a part only: its source has no end. */
  cut: string | undefined;
  #parts: string[] = [];
  #size = 0;
  #lines = 0;

  readonly lines: number;
  readonly bytes: number;

  /** `wanted`: how much the reader is known to take at most; `supply`: bytes of an endless source for one that is not. */
  constructor(private readonly limit: number, wanted = UNKNOWN, private readonly supply = ENDLESS_PART) {
    ({ lines: this.lines, bytes: this.bytes } = wanted);
  }

  get closed(): boolean {
    return this.#lines >= this.lines || this.#size >= this.bytes;
  }

  /** Bytes of an endless source that are enough, as far as is known. */
  get most(): number {
    return this.lines < Infinity || this.bytes < Infinity ? Infinity : this.supply;
  }

  write(bytes: string): void {
    this.#size += bytes.length;
    if (this.#size > this.limit) throw new RangeError(`more than ${this.limit} bytes in one pipe`);
    this.#parts.push(bytes);
    if (this.lines === Infinity) return;
    for (let at = bytes.indexOf("\n"); at >= 0; at = bytes.indexOf("\n", at + 1)) this.#lines++;
  }

  /** All of it; throws where that is not to be had. */
  take(): string {
    if (this.cut !== undefined) throw new RangeError(this.cut);
    return this.takePart();
  }

  /** All that is there, which may be a part of an endless source. */
  takePart(): string {
    return this.#parts.join("");
  }
}

const FLUSH_SIZE = 65536;
const FLUSH_MS = 20;

/** Writes to a file, small pieces together; others see them after 20 ms at the latest. */
export class FileTarget implements Target {
  readonly live = false;
  readonly closed = false;
  #parts: Uint8Array[] = [];
  #text: string[] = [];
  #size = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #done: Promise<void> = Promise.resolve();
  #error: unknown;

  constructor(private readonly fs: IFileSystem, private readonly path: string) {}

  write(bytes: string): void {
    this.#text.push(bytes);
    this.#grow(bytes.length);
  }

  writeArray(data: Uint8Array): void {
    this.#gather();
    this.#parts.push(data);
    this.#grow(data.length);
  }

  #grow(size: number): void {
    this.#size += size;
    if (this.#size >= FLUSH_SIZE) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), FLUSH_MS);
  }

  /** Waits until all is in the file; throws what went wrong on the way. */
  async drain(): Promise<void> {
    this.#flush();
    await this.#done;
    if (this.#error) throw this.#error;
  }

  #gather(): void {
    if (this.#text.length > 0) this.#parts.push(toArray(this.#text.join("")));
    this.#text = [];
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#size === 0) return;
    this.#gather();
    const data = this.#parts.length === 1 ? this.#parts[0] : concatBytes(this.#parts);
    this.#parts = [];
    this.#size = 0;
    this.#done = this.#done.then(() => this.fs.appendFile(this.path, data)).catch((error) => {
      this.#error ??= error;
    });
  }
}
