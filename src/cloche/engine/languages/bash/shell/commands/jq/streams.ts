/** The shell's streams as jq's module sees them: reading and writing may wait. */

import { errnoOf } from "../../../../../wasi/errno.ts";
import { DeviceHandle, TYPE } from "../../../../../wasi/handles.ts";
import { CAN_SUSPEND } from "../../../../../wasm/suspension.ts";
import type { OpenStream } from "../../descriptors/stream.ts";
import type { Later } from "../../task.ts";

/** A stream that is no terminal. */
const PIPE = 6;
const CHUNK = 65536;
const EMPTY = new Uint8Array(0);

/** Bytes that came and were not read yet. */
class Source {
  #rest: Uint8Array = EMPTY;
  #ended = false;

  constructor(private readonly stream: OpenStream | undefined) {}

  /** Waits until there is something to read; throws what the stream throws. */
  fill(): Later<void> {
    if (this.#ended || this.#rest.length > 0) return;
    const piece = this.stream?.read(CHUNK);
    if (!(piece instanceof Promise)) return this.#put(piece);
    return piece.then((bytes) => this.#put(bytes));
  }

  readonly take = (most: number): Uint8Array => {
    const part = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(part.length);
    return part;
  };

  /** Gives back what was not used. */
  close(): void {
    if (this.#rest.length > 0) this.stream?.unread(this.#rest);
    this.#rest = EMPTY;
  }

  #put(piece: Uint8Array | undefined): void {
    this.#rest = piece ?? EMPTY;
    this.#ended = piece === undefined;
  }
}

/** A stream as a libc sees it: a pipe, unless it is a terminal. */
export class StreamHandle extends DeviceHandle {
  #written: Promise<void> | undefined;
  readonly #source: Source;

  constructor(
    private readonly stream: OpenStream | undefined,
    direction: "in" | "out",
    terminal = false,
    /** Whether jq has opened it. */
    private readonly own = false,
  ) {
    const source = new Source(stream);
    super(direction === "in" ? source.take : null, direction === "out" ? (data) => this.#put(data) : null);
    this.#source = source;
    Object.defineProperty(this, "type", { value: terminal ? TYPE.device : PIPE });
  }

  /** What a read has to wait for. */
  untilReadable(): Later<void> {
    return this.#source.fill();
  }

  /** What is to be waited for after a write. */
  untilWritten(): Later<void> {
    const written = this.#written;
    this.#written = undefined;
    return written;
  }

  #put(data: Uint8Array): void {
    const later = this.stream?.write(data.slice());
    if (!(later instanceof Promise)) return;
    this.#written = later;
    // Where modules cannot wait, what is written is kept until the reader takes it.
    if (!CAN_SUSPEND) later.catch(() => {});
  }

  override close(): void {
    this.#source.close();
    if (this.own) this.stream?.close();
  }
}

/** A call that waits for its stream, then is made; `handleOf` finds the stream. */
export function waitingCall(
  call: (...args: never[]) => number,
  handleOf: (fd: number) => unknown,
  kind: "read" | "write",
): (fd: number, ...args: never[]) => Later<number> {
  const make = (fd: number, args: never[]) => call(fd as never, ...args);
  if (kind === "write") {
    return (fd, ...args) => {
      const result = make(fd, args);
      const handle = handleOf(fd);
      const later = handle instanceof StreamHandle ? handle.untilWritten() : undefined;
      return later ? later.then(() => result) : result;
    };
  }
  return (fd, ...args) => {
    const handle = handleOf(fd);
    try {
      const later = handle instanceof StreamHandle ? handle.untilReadable() : undefined;
      return later ? later.then(() => make(fd, args), errnoOf) : make(fd, args);
    } catch (error) {
      return errnoOf(error);
    }
  };
}
