/** Ruby's module: its exports, and its imports, which are WASI and one device. */

import type { Wasi } from "../../../wasi/wasi.ts";
import type { Source } from "../../../wasm/image.ts";
import { numberOf, packMemory, refillMemory } from "../../../wasm/saved_memory.ts";
import { ROOMY, STORE } from "./memory_layout.ts";
import { isRoomy, Stacks } from "./large_stacks.ts";

const EVAL = "rb-eval-string-protect: func(str: string) -> tuple<handle<rb-abi-value>, s32>";
const INIT = "ruby-init: func(args: list<string>) -> ()";
const DROP = "canonical_abi_drop_rb-abi-value";

type Call = (...args: number[]) => number;

export class Vm {
  readonly instance: WebAssembly.Instance;
  /** Values of Ruby that were handed out, by their numbers. */
  readonly #values = new Map<number, number>();
  readonly #stacks = new Stacks();
  #last = 0;

  constructor(module: WebAssembly.Module, wasi: Wasi) {
    this.instance = new WebAssembly.Instance(module, this.#imports(module, wasi));
    wasi.attach(this.memory);
  }

  get memory(): WebAssembly.Memory {
    return this.instance.exports.memory as WebAssembly.Memory;
  }

  /** Starts a module; a frozen one has started already. */
  start(args: string[]): void {
    this.#call("_initialize")();
    const list = this.#allocate(args.length * 8, 4);
    for (const [index, text] of args.entries()) {
      const [at, length] = this.#put(text + "\0");
      const view = new DataView(this.memory.buffer);
      view.setUint32(list + index * 8, at, true);
      view.setUint32(list + index * 8 + 4, length, true);
    }
    this.#call(INIT)(list, args.length);
  }

  /** The whole memory of the idle interpreter; a string says why it cannot be saved. */
  save(): Uint8Array[] | string {
    if (this.#stacks.size > 0) return "Ruby keeps fibers whose stacks are large";
    return packMemory(this.memory, { last: this.#last });
  }

  /** Continues from saved memory. */
  restore(source: Source): void {
    this.#last = numberOf(refillMemory(this.memory, source).last);
  }

  /** Runs code; false if it ended with an exception. */
  run(code: string): boolean {
    const answer = this.#call(EVAL)(...this.#put(code));
    const view = new DataView(this.memory.buffer);
    const [value, state] = [view.getUint32(answer, true), view.getInt32(answer + 4, true)];
    const held = this.#values.get(value);
    this.#values.delete(value);
    if (held !== undefined) this.#call(DROP)(held);
    return state === 0;
  }

  #call(name: string): Call {
    return this.instance.exports[name] as Call;
  }

  #allocate(size: number, alignment: number): number {
    return this.#call("cabi_realloc")(0, 0, alignment, size);
  }

  #put(text: string): [number, number] {
    const data = new TextEncoder().encode(text);
    const at = this.#allocate(data.length, 1);
    new Uint8Array(this.memory.buffer).set(data, at);
    return [at, data.length];
  }

  /** Everything by which it could reach JavaScript is refused, whatever it is called. */
  #imports(module: WebAssembly.Module, wasi: Wasi): WebAssembly.Imports {
    const imports: Record<string, WebAssembly.ModuleImports> = { wasi_snapshot_preview1: wasi.imports };
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
      if (from !== "wasi_snapshot_preview1") (imports[from] ??= {})[name] = name.startsWith(ROOMY) ? isRoomy : refuse;
    }
    imports["rb-js-abi-host"][STORE] = (place: number, size: number) =>
      size < 0 ? this.#stacks.restore(this.memory, place, -size) : this.#stacks.save(this.memory, place, size);
    Object.assign(imports.canonical_abi, {
      "resource_new_rb-abi-value": (value: number) => {
        this.#values.set(++this.#last, value);
        return this.#last;
      },
      "resource_get_rb-abi-value": (number: number) => this.#values.get(number) ?? 0,
    });
    return imports;
  }
}

function refuse(): never {
  throw new Error("there is no way from Ruby to JavaScript");
}
