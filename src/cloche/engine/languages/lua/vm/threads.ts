/** All coroutines of a state. Lua does not list them, but each may be the one that runs and has to be stopped. */

import type { Vm } from "./vm.ts";
import { MASK_COUNT, TYPE } from "./exports.ts";

/** Where a thread notes its state's shared part, and an object its kind. */
const SHARED_PART = 16;
const KIND = 4;
const KIND_BITS = 0x3f;
/** The least size of an object. */
const OBJECT = 16;
/** How far into a record something is looked for. */
const LOOK = 256;

export class Threads {
  /** The address of the first object's address. */
  readonly #objects: number;
  /** Where a thread keeps the function that is called when an error is raised. */
  readonly #handler: number;

  constructor(private readonly vm: Vm, private readonly main: number) {
    const { exports, view } = vm;
    const newest = exports.lua_newthread(main);
    this.#objects = this.#find(view.getUint32(main + SHARED_PART, true), newest);
    exports.lua_settop(main, -2);
    exports.lua_sethook(main, vm.entries.hook, MASK_COUNT, 1);
    this.#handler = this.#find(main, vm.entries.hook) + 4 - main;
    exports.lua_sethook(main, 0, 0, 0);
  }

  /** Makes the next error end the call without a message handler. */
  forgetHandler(thread: number): void {
    this.vm.view.setUint32(thread + this.#handler, 0, true);
  }

  setHooks(hook: number, mask: number, count: number): void {
    for (const thread of this.#all()) this.vm.exports.lua_sethook(thread, hook, mask, count);
  }

  /** The address of a word in one of Lua's own records, found by its value. */
  #find(record: number, word: number): number {
    const index = new Uint32Array(this.vm.exports.memory.buffer, record, LOOK / 4).indexOf(word);
    if (index < 0) throw new Error("this build of Lua keeps its records in another way");
    return record + 4 * index;
  }

  #all(): number[] {
    const { buffer } = this.vm.exports.memory;
    const [words, bytes] = [new Uint32Array(buffer), new Uint8Array(buffer)];
    const found = [this.main];
    let object = words[this.#objects >> 2];
    // More cannot be there; code that breaks the list must not keep us here.
    for (let left = buffer.byteLength / OBJECT; object && left > 0; left--) {
      if ((bytes[object + KIND] & KIND_BITS) === TYPE.thread) found.push(object);
      object = words[object >> 2];
    }
    return found;
  }
}
