/** Pipes as files of Python: each end is an open file over shared memory, so another process may have the other end. */

import type { EmscriptenFS, FSNode, FSStream } from "../../fs/emscripten_types.ts";
import type { Bell } from "../../worker/pipes/bell.ts";
import { type PipeEnd, SharedPipe, WAIT } from "../../worker/pipes/shared_pipe.ts";
import type { SharedMemory } from "../../worker/shared_memory.ts";

/** Emscripten's numbers. */
const EAGAIN = 6;
const EINTR = 27;
const EPIPE = 64;
const FIFO = 0o010600;
const O_WRONLY = 1;
const O_NONBLOCK = 2048;
const POLL = { in: 1, out: 4, error: 8, hangUp: 16 };
/** Milliseconds between two looks for a signal. */
const LOOK = 50;

interface PipeNode extends FSNode {
  pipe?: SharedPipe;
  end?: PipeEnd;
}

interface Inside extends EmscriptenFS {
  FSNode: new (parent: FSNode | null, name: string, mode: number, device: number) => FSNode;
  createStream(stream: object): FSStream & { fd: number };
}

export class PythonPipes {
  readonly #fs: Inside;
  #last = 0;

  constructor(fs: EmscriptenFS, private readonly bell: Bell, private readonly shared: SharedMemory) {
    this.#fs = fs as Inside;
  }

  /** The descriptors of a new pipe: to read, to write. */
  open(): [number, number] {
    const pipe = new SharedPipe(this.bell);
    return [this.#openEnd(pipe, "read"), this.#openEnd(pipe, "write")];
  }

  /** The pipe of an open file, for another process, which then holds that end too; undefined if it is none. */
  share(stream: FSStream): { pipe: SharedArrayBuffer; end: PipeEnd } | undefined {
    const { pipe, end } = stream.node as PipeNode;
    if (!pipe || !end) return undefined;
    pipe.hold(end);
    return { pipe: pipe.buffer, end };
  }

  /** Whether a read would return at once. */
  isReadable(stream: FSStream): boolean {
    const { pipe } = stream.node as PipeNode;
    return pipe !== undefined && (pipe.size > 0 || pipe.isClosed("write"));
  }

  #openEnd(pipe: SharedPipe, end: PipeEnd): number {
    const name = `pipe:[${++this.#last}]`;
    const node: PipeNode = new this.#fs.FSNode(null, name, FIFO, 0);
    Object.assign(node, { pipe, end });
    pipe.hold(end);
    const flags = end === "read" ? 0 : O_WRONLY;
    return this.#fs.createStream({ path: name, node, flags, seekable: false, stream_ops: this.#operations }).fd;
  }

  #fail(errno: number): never {
    throw new this.#fs.ErrnoError(errno);
  }

  /** Repeats an attempt until it need not wait; a signal ends it. */
  #attempt(stream: FSStream, act: () => number): number {
    for (;;) {
      const { rings } = this.bell;
      const count = act();
      if (count !== WAIT) return count;
      if (stream.flags & O_NONBLOCK) this.#fail(EAGAIN);
      if (this.shared.signalled) this.#fail(EINTR);
      this.shared.waiting(() => this.bell.block(rings, LOOK));
    }
  }

  readonly #operations = {
    getattr: (stream: FSStream) => attributes(stream.node),
    dup: (stream: FSStream) => {
      const { pipe, end = "read" } = stream.node as PipeNode;
      pipe?.hold(end);
    },
    close: (stream: FSStream) => {
      const { pipe, end = "read" } = stream.node as PipeNode;
      pipe?.release(end);
    },
    poll: (stream: FSStream) => {
      const { pipe, end } = stream.node as PipeNode;
      if (!pipe) return POLL.error;
      if (end === "write") return pipe.isClosed("read") ? POLL.out | POLL.error : pipe.room > 0 ? POLL.out : 0;
      return pipe.isClosed("write") ? POLL.in | POLL.hangUp : pipe.size > 0 ? POLL.in : 0;
    },
    read: (stream: FSStream, buffer: Uint8Array, offset: number, length: number) => {
      const { pipe } = stream.node as PipeNode;
      const into = new Uint8Array(buffer.buffer, buffer.byteOffset + offset, length);
      return this.#attempt(stream, () => pipe?.read(into) ?? 0);
    },
    write: (stream: FSStream, buffer: Uint8Array, offset: number, length: number) => {
      const { pipe } = stream.node as PipeNode;
      const from = new Uint8Array(buffer.buffer, buffer.byteOffset + offset, length);
      if (length === 0) return 0;
      return this.#attempt(stream, () => pipe?.write(from) ?? 0) || this.#fail(EPIPE);
    },
  };
}

function attributes(node: FSNode) {
  const time = new Date();
  const times = { atime: time, mtime: time, ctime: time };
  const owner = { uid: 1000, gid: 1000 };
  return { dev: 14, ino: 1, mode: node.mode, nlink: 1, ...owner, rdev: 0, size: 0, ...times, blksize: 4096, blocks: 0 };
}
