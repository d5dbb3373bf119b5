/** The processes that a Python has started, which the shell runs; their pipes need no messages. */

import type { EmscriptenFS, FSStream } from "../../fs/emscripten_types.ts";
import type { ChildDescriptor, ExecRequest } from "../../protocol.ts";
import { Bell } from "../../worker/pipes/bell.ts";
import type { LanguageWorker } from "../language.ts";
import { PythonPipes } from "./pipes.ts";

const ENDED = 0;
const CODE = 1;
const SIGNAL = 2;
const WORDS = 3;
const SIGKILL = 9;
const ACCESS = 3;
const O_APPEND = 1024;
const FILE_TYPE = 0o170000;
const REGULAR = 0o100000;
const CHUNK = 65536;
/** Milliseconds between two looks for a signal. */
const LOOK = 50;

/** A process to start, as the kernel writes it: descriptors of the child by those of its parent. */
interface Start {
  argv: string[];
  cwd: string;
  env: Record<string, string>;
  umask: number;
  descriptors: Record<string, number>;
  /** Descriptors of files whose bytes have no name any more, by what is read from them. */
  unnamed: number[];
}

interface Child {
  title: string;
  exit: Int32Array;
  stop: AbortController;
  /** What it writes to a file without a name, and where that goes. */
  collected: { from: number; to: FSStream }[];
}

interface Inside extends EmscriptenFS {
  read(stream: FSStream, buffer: Uint8Array, offset: number, length: number, position?: number): number;
  write(stream: FSStream, buffer: Uint8Array, offset: number, length: number, position?: number): number;
  close(stream: FSStream): void;
  dupStream(stream: FSStream): FSStream;
}

export class PythonChildren {
  readonly #fs: Inside;
  readonly #bell: Bell;
  readonly #pipes: PythonPipes;
  readonly #children = new Map<number, Child>();
  /** The files that are standard input, output and error from the start. */
  readonly #standard: unknown[];

  constructor(private readonly worker: LanguageWorker, fs: EmscriptenFS, private readonly run: () => number) {
    this.#fs = fs as Inside;
    this.#bell = new Bell(worker.init.memory);
    this.#pipes = new PythonPipes(fs, this.#bell, worker.shared);
    this.#standard = [0, 1, 2].map((fd) => fs.streams[fd]?.node);
  }

  /** The functions that Python gets. */
  services() {
    return {
      pipe: () => JSON.stringify(this.#pipes.open()),
      start_child: (start: string) => this.#start(JSON.parse(start) as Start),
      child_status: (pid: number) => this.#status(pid),
      signal_child: (pid: number, signal: number) => this.#signal(pid, signal),
      rings: () => this.#bell.rings,
      await_ring: (rings: number, ms: number) => this.worker.untilRung(this.#bell, rings, ms),
      block_ring: (rings: number, ms: number) => this.#block(rings, ms),
    };
  }

  /** Those that run. */
  list(): string[] {
    return this.#running().map(({ title }) => title);
  }

  endAll(): void {
    for (const { stop } of this.#running()) this.worker.sendSignal(stop.signal, SIGKILL);
  }

  #running(): Child[] {
    return [...this.#children.values()].filter(({ exit }) => Atomics.load(exit, ENDED) === 0);
  }

  #start({ argv, cwd, env, umask, descriptors, unnamed }: Start): number {
    const pid = this.#bell.nextProcess();
    const exit = new SharedArrayBuffer(WORDS * Int32Array.BYTES_PER_ELEMENT);
    const child: Child = {
      title: argv.join(" "),
      exit: new Int32Array(exit),
      stop: new AbortController(),
      collected: [],
    };
    const own = Object.values(descriptors);
    const numbers = Object.entries(descriptors).map(([fd, from], index): [string, ChildDescriptor] => {
      const first = own.indexOf(from);
      if (first > 0 && first < index) return [fd, { type: "same", as: Number(Object.keys(descriptors)[first]) }];
      return [fd, this.#describe(fd === "0", from, unnamed.includes(from), child)];
    });
    const request: ExecRequest = {
      argv,
      stdin: null,
      cwd,
      env,
      live: false,
      merge: false,
      origin: this.worker.shared.origin || undefined,
      child: { pid, umask, exit, descriptors: Object.fromEntries(numbers) },
    };
    this.#children.set(pid, child);
    this.worker.outputBuffer.flush();
    void this.worker.launch(this.run(), "bash", request, child.stop.signal).then(() => {
      // The shell has been replaced.
      if (Atomics.compareExchange(child.exit, ENDED, 0, 1) !== 0) return;
      Atomics.store(child.exit, SIGNAL, SIGKILL);
      this.#bell.ring();
    });
    return pid;
  }

  #describe(reads: boolean, from: number, unnamed: boolean, child: Child): ChildDescriptor {
    const stream = this.#fs.streams[from];
    if (!stream) return { type: "null" };
    const shared = this.#pipes.share(stream);
    if (shared) return { type: "pipe", ...shared };
    const standard = this.#standard.indexOf(stream.node);
    if (standard >= 0) return { type: "inherited", from: standard };
    if ((stream.node.mode & FILE_TYPE) !== REGULAR) return { type: "null" };
    if (reads || (stream.flags & ACCESS) === 0) return { type: "bytes", data: this.#readRest(stream) };
    if (unnamed) return this.#collect(stream, child);
    const append = (stream.flags & O_APPEND) !== 0;
    return { type: "file", path: stream.path ?? "", append, position: stream.position };
  }

  #readRest(stream: FSStream): Uint8Array {
    const parts: Uint8Array[] = [];
    for (;;) {
      const part = new Uint8Array(CHUNK);
      const count = this.#fs.read(stream, part, 0, CHUNK);
      if (count === 0) break;
      parts.push(part.subarray(0, count));
    }
    const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
    parts.reduce((at, part) => (whole.set(part, at), at + part.length), 0);
    return whole;
  }

  /** The shell cannot open a file that has no name: what is for it comes through a pipe. */
  #collect(stream: FSStream, child: Child): ChildDescriptor {
    const [from, write] = this.#pipes.open();
    const writer = this.#fs.streams[write] as FSStream;
    const shared = this.#pipes.share(writer);
    this.#fs.close(writer);
    child.collected.push({ from, to: this.#fs.dupStream(stream) });
    return shared ? { type: "pipe", ...shared } : { type: "null" };
  }

  /** Its status as `waitpid` has it; -1 while it runs, -2 if there is none. */
  #status(pid: number): number {
    const child = this.#children.get(pid);
    if (!child) return -2;
    this.#takeCollected(child);
    if (Atomics.load(child.exit, ENDED) === 0) return -1;
    this.#takeCollected(child);
    for (const { from, to } of child.collected) {
      this.#fs.close(this.#fs.streams[from] as FSStream);
      this.#fs.close(to);
    }
    this.#children.delete(pid);
    const signal = Atomics.load(child.exit, SIGNAL);
    return signal > 0 ? signal : (Atomics.load(child.exit, CODE) & 0xff) << 8;
  }

  #takeCollected({ collected }: Child): void {
    const buffer = new Uint8Array(CHUNK);
    for (const { from, to } of collected) {
      const stream = this.#fs.streams[from];
      while (stream && this.#pipes.isReadable(stream)) {
        const count = this.#fs.read(stream, buffer, 0, CHUNK);
        if (count === 0) break;
        this.#fs.write(to, buffer, 0, count);
      }
    }
  }

  #signal(pid: number, signal: number): boolean {
    const child = this.#children.get(pid);
    if (child) this.worker.sendSignal(child.stop.signal, signal);
    return child !== undefined;
  }

  /** Blocks for at most so long; false if a signal came. */
  #block(rings: number, ms: number): boolean {
    const { shared } = this.worker;
    const end = performance.now() + ms;
    for (let left = ms; left > 0 && this.#bell.rings === rings; left = end - performance.now()) {
      if (shared.signalled) return false;
      shared.waiting(() => this.#bell.block(rings, Math.min(left, LOOK)));
    }
    return !shared.signalled;
  }
}
