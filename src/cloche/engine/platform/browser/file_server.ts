/** The page's side of file calls: executes them in the file system that all workers share. */

import { FileError, type Files, type OpenFile, type OpenMode } from "../../fs/files.ts";
import { SharedMemory } from "../../worker/shared_memory.ts";
import { encodeReply } from "../../worker/reply_codec.ts";
import type { FileCall, FileReply } from "./file_calls.ts";

const EMPTY = new Uint8Array(0);
/** The most bytes of a file that one call reads. */
const PIECE = 8 << 20;

/** The functions that a worker may call: their names come from where the guest runs. */
const CALLS = new Set(
  ("lstat list readLink makeLink hardLink open makeDirectory removeFile removeDirectory rename chmod setTimes truncate " +
    "stat write close").split(" "),
);

type Functions = Record<string, (...args: never[]) => unknown>;

export class FileServer {
  readonly replies = new SharedMemory();
  readonly #open = new Map<number, OpenFile>();
  #last = 0;
  #rest: Uint8Array = EMPTY;

  constructor(private readonly files: Files) {}

  receive(call: FileCall): void {
    let [answer, data]: [FileReply, Uint8Array] = [{}, EMPTY];
    try {
      if (call.file > 0 && call.name === "read") data = this.#read(call);
      else answer = { value: this.#act(call) };
    } catch (error) {
      answer = { code: error instanceof FileError ? error.code : "EIO" };
    }
    this.#rest = this.replies.writeReply(0, encodeReply({ head: answer, body: data }));
  }

  /** The worker has read one part of a reply. */
  next(): void {
    if (this.#rest.length > 0) this.#rest = this.replies.writeReply(0, this.#rest);
  }

  #act({ name, file, args, data }: FileCall): unknown {
    if (!CALLS.has(name)) throw new FileError("EINVAL");
    if (name === "open" && file === 0) {
      const [path, mode, permissions] = args as [string, OpenMode, number?];
      this.#open.set(++this.#last, this.files.open(path, mode, permissions));
      return this.#last;
    }
    const target = (file === 0 ? this.files : this.#file(file)) as unknown as Functions;
    const given = data ? [data, ...args] : args;
    if (name === "close") this.#open.delete(file);
    return target[name](...given as never[]);
  }

  #read({ file, args }: FileCall): Uint8Array {
    const [length, position] = args as [number, number];
    const into = new Uint8Array(Math.min(length, PIECE));
    return into.subarray(0, this.#file(file).read(into, position));
  }

  #file(number: number): OpenFile {
    const file = this.#open.get(number);
    if (!file) throw new FileError("EBADF");
    return file;
  }
}
