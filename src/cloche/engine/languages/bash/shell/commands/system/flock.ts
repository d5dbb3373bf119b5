/** flock: locks that the programs of one sandbox's shell respect. */
import type { Stat } from "../../../../../fs/files.ts";
import { reasonOf } from "../../../text/file_errors.ts";
import type { OpenStream } from "../../descriptors/stream.ts";
import type { CommandContext } from "../../processes/command.ts";
import { defineTool } from "../tool/define.ts";
import { CommandError, UsageError } from "../tool/errors.ts";
import type { Tool } from "../tool/tool.ts";
import { runInstead } from "./run_instead.ts";

const WRONG_USE = 64;
const CANNOT_OPEN = 66;

const USAGE = {
  letters: "sxenuw:E:c:oFv",
  long: {
    shared: "s",
    exclusive: "x",
    nonblock: "n",
    nb: "n",
    unlock: "u",
    wait: "w",
    timeout: "w",
    "conflict-exit-code": "E",
    command: "c",
    close: "o",
    "no-fork": "F",
    verbose: "v",
  },
  strict: true,
  code: WRONG_USE,
  synopsis:
    "[OPTION]... FILE|DIRECTORY COMMAND [ARG]...\n       flock [OPTION]... FILE|DIRECTORY -c COMMAND\n       flock [OPTION]... FD",
};

/** Who holds the lock of a file: one open description alone, or several that share it. */
class Lock {
  readonly #holders = new Map<OpenStream, "shared" | "exclusive">();
  readonly #waiting = new Set<() => void>();

  /** Takes it for a description, if the others let it. */
  take(stream: OpenStream, kind: "shared" | "exclusive"): boolean {
    for (const [holder, held] of this.#holders) {
      if (holder !== stream && (held === "exclusive" || kind === "exclusive")) return false;
    }
    const isNew = !this.#holders.has(stream);
    this.#holders.set(stream, kind);
    if (isNew) stream.onClosed?.(() => this.release(stream));
    this.#wake();
    return true;
  }

  release(stream: OpenStream): void {
    if (this.#holders.delete(stream)) this.#wake();
  }

  /** Settles when another has released it, or after so many milliseconds. */
  async changed(signal: AbortSignal, ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = ms === Infinity ? undefined : setTimeout(resolve, ms);
    this.#waiting.add(resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
    await promise;
    this.#waiting.delete(resolve);
    clearTimeout(timer);
    signal.throwIfAborted();
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }
}

const locks = new Map<number, Lock>();

function lockOf({ ino }: Stat): Lock {
  const lock = locks.get(ino) ?? new Lock();
  locks.set(ino, lock);
  return lock;
}

const flock = defineTool("flock", USAGE, async (tool) => {
  const { given, context } = tool;
  const [target, ...rest] = given.operands;
  if (target === undefined) throw new UsageError("not enough arguments");
  const argv = readCommand(given.get("c"), rest);
  if (argv.length === 0 && !/^\d+$/.test(target)) throw new CommandError(`bad file descriptor: '${target}'`, WRONG_USE);
  const own = argv.length > 0;
  const stream = own ? openFile(tool, target) : context.fds.find(Number(target));
  if (!stream) throw new CommandError(`${target}: Bad file descriptor`, 65);
  try {
    const lock = lockOf(stream.stat());
    if (given.has("u")) lock.release(stream);
    else if (!await acquire(tool, lock, stream)) return Number(given.get("E") ?? 1);
    return own ? await runInstead(context, "flock", argv) : 0;
  } finally {
    if (own) stream.close();
  }
});

function readCommand(command: string | undefined, rest: string[]): string[] {
  if (command !== undefined) return ["sh", "-c", command];
  if (rest[0] !== "-c" && rest[0] !== "--command") return rest;
  if (rest.length !== 2) throw new UsageError("-c requires exactly one command argument");
  return ["sh", "-c", rest[1]];
}

function openFile({ context }: Tool, name: string): OpenStream {
  try {
    return open(context, name);
  } catch (error) {
    throw new CommandError(`cannot open lock file ${name}: ${reasonOf(error)}`, CANNOT_OPEN);
  }
}

function open(context: CommandContext, name: string): OpenStream {
  try {
    return context.open(name, { read: true, write: false });
  } catch {
    return context.open(name, { read: true, write: true, create: true });
  }
}

/** Whether it got the lock. */
async function acquire({ given, context }: Tool, lock: Lock, stream: OpenStream): Promise<boolean> {
  const kind = given.last("s", "x", "e") === "s" ? "shared" : "exclusive";
  const seconds = given.has("n") ? 0 : Number(given.get("w") ?? Infinity);
  if (Number.isNaN(seconds)) throw new UsageError(`invalid timeout value: '${given.get("w")}'`);
  const end = performance.now() + seconds * 1000;
  while (!lock.take(stream, kind)) {
    const left = end - performance.now();
    if (left <= 0) return false;
    await lock.changed(context.signal, left);
  }
  return true;
}

export const commands = [flock];
