/** Files of Lua's with a command at the other end: closing one waits for the command and returns how it ended. */

import type { Vm } from "./vm.ts";

/** Where a file of Lua's notes what closes it. */
const CLOSER = 4;

export class Pipes {
  /** By the addresses of files: the path of the command, and what closes the file. */
  readonly #open = new Map<number, { path: string; closer: number }>();

  constructor(private readonly vm: Vm) {}

  /** The file is a command's from now on. */
  add(file: number, path: string): void {
    const { view, entries } = this.vm;
    this.#open.set(file, { path, closer: view.getUint32(file + CLOSER, true) });
    view.setUint32(file + CLOSER, entries.close, true);
  }

  /** Closes the file on the stack; returns the exit code, or null if it is not a pipe. */
  close(thread: number): number | null {
    const { exports, system } = this.vm;
    const file = exports.lua_touserdata(thread, 1);
    const pipe = this.#open.get(file);
    if (!pipe) return null;
    this.#open.delete(file);
    (exports.__indirect_function_table.get(pipe.closer) as (thread: number) => number)(thread);
    return system.endPipe(pipe.path);
  }
}
