/** All coroutines of a state. Lua tells of none of them, but each may be the one that runs and is to be stopped. */

import type { Machine } from "./machine.ts";
import { TYPE } from "./program.ts";

/** Where a thread notes its state's shared part, and an object its kind. */
const SHARED_PART = 16;
const KIND = 4;
const KIND_BITS = 0x3f;
/** How far into the shared part the list of objects is looked for. */
const LOOK = 256;

export class Threads {
  /** The address of the first object's address. */
  readonly #objects: number;

  constructor(private readonly machine: Machine, private readonly main: number) {
    const { program } = machine;
    const part = machine.view.getUint32(main + SHARED_PART, true);
    const newest = program.lua_newthread(main);
    const words = new Uint32Array(machine.program.memory.buffer, part, LOOK / 4);
    const index = words.indexOf(newest);
    program.lua_settop(main, -2);
    if (index < 0) throw new Error("this build of Lua keeps its objects where they are not found");
    this.#objects = part + 4 * index;
  }

  setHooks(hook: number, mask: number, count: number): void {
    for (const thread of this.#all()) this.machine.program.lua_sethook(thread, hook, mask, count);
  }

  #all(): number[] {
    const { buffer } = this.machine.program.memory;
    const [words, bytes] = [new Uint32Array(buffer), new Uint8Array(buffer)];
    const found = [this.main];
    for (let object = words[this.#objects >> 2]; object !== 0; object = words[object >> 2]) {
      if ((bytes[object + KIND] & KIND_BITS) === TYPE.thread) found.push(object);
    }
    return found;
  }
}
