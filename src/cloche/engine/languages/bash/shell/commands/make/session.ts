/** What one run of make knows. */
import { encodeText, toArray } from "../../../text/byte_strings.ts";
import type { CommandContext } from "../../processes/command.ts";
import type { Later } from "../../task.ts";
import type { MakeOptions } from "./options.ts";
import { Database } from "./rules.ts";
import { Scope } from "./variables.ts";

/** A line of a makefile. */
export interface Place {
  file: string;
  line: number;
}

/** What ends make: the message after `***`. */
export class MakeError extends Error {
  constructor(message: string, public place?: Place) {
    super(message);
  }
}

export class Session {
  readonly globals = new Scope();
  readonly rules = new Database();
  /** Names with `export` (true) and `unexport` (false). */
  readonly exports = new Map<string, boolean>();
  exportAll = false;
  /** Where the reader is; undefined once all is read. */
  place: Place | undefined;
  /** Reads text as a part of the makefile: `$(eval)`. */
  evaluate: (text: string) => Generator<Promise<unknown>, void, unknown> = function* () {};

  constructor(
    readonly context: CommandContext,
    readonly options: MakeOptions,
    readonly cwd: string,
    readonly level: number,
  ) {}

  /** `make`, or `make[1]` below another make. */
  get title(): string {
    return this.level > 0 ? `make[${this.level}]` : "make";
  }

  resolve(path: string): string {
    return this.context.files.resolve(this.cwd, path);
  }

  print(text: string): Later<void> {
    return this.context.fds.get(1).write(toArray(encodeText(text)));
  }

  complain(text: string): Later<void> {
    return this.context.fds.find(2)?.write(toArray(encodeText(`${text}\n`)));
  }

  /** Says something about make itself or the makefile. */
  warn(text: string, place = this.place): Later<void> {
    return this.complain(`${place ? `${place.file}:${place.line}` : this.title}: ${text}`);
  }

  checkSignal(): void {
    this.context.signal.throwIfAborted();
  }

  /** When a file was changed, in milliseconds; undefined if there is none. */
  modified(path: string): number | undefined {
    try {
      return this.context.files.stat(this.resolve(path)).mtime;
    } catch {
      return undefined;
    }
  }
}
