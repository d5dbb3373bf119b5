/** A PHP whose one request never ends: cells run in its global scope, and what they define stays. */

import { type Image, packImage } from "../../../wasm/image.ts";
import { EXECUTOR, type Places, Vm } from "./vm.ts";
import type { Fault } from "../errors.ts";

/** Offsets in a zend_file_handle, a zend_op_array, a zend_class_entry, and in compiler_globals. */
const HANDLE = { size: 64, text: 32, length: 36 };
const FUNCTION = { type: 0, cache: 36, cacheSize: 52 };
const CLASS = { type: 0, name: 4, methods: 40 };
const COMPILER = { options: 96, slots: 360 };
/** The bit that marks a string as the name of a class, and the slot of that class. */
const NAME = { slot: 0, flags: 4, hasSlot: 1 << 5 };
/** Marks what is not PHP's own. */
const BY_USER = 2;
/** Calls look their function up by name: one that is redefined may need another frame. */
const BY_NAME = 1 << 9;
/** Zero bytes that PHP's scanner needs after a text. */
const PADDING = 32;
/** Kinds of errors after which PHP ends a script. */
const FATAL = 1 | 4 | 16 | 64 | 256 | 4096;
const TEXT_LIMIT = 1 << 20;
const FAILED = 1;
const PAGE = 64 << 10;

/** How a script ended. */
export interface Ended {
  fault: Fault | null;
  exitCode: number;
  stopped: boolean;
}

export class Interpreter {
  #fault: Fault | null = null;
  /** Whether PHP is printing something that we report in another way. */
  muted = false;
  readonly #handle: number;
  readonly #listener: number;

  /** `warned` is called with each message after PHP has printed it. */
  constructor(readonly vm: Vm, private readonly warned: (message: string) => void) {
    const { places } = vm;
    if (!places) this.#start();
    this.#handle = places?.handle ?? vm.exports.malloc(HANDLE.size);
    this.#listener = places?.listener ?? vm.memory.word(vm.exports.zend_error_cb.value);
    this.#hearErrors();
    if (places && places.functions !== this.places.functions) throw new Error("PHP's image does not fit its module");
  }

  /** For a PHP that continues from here. */
  get places(): Places {
    return { ...this.vm.state, handle: this.#handle, listener: this.#listener };
  }

  /** What differs from the initial memory of programs; a string says why it cannot be saved. */
  save(data: Image<null>): Uint8Array[] | string {
    const { vm, places } = this;
    const opened = places.files.length - (vm.places?.files.length ?? 0);
    if (opened > 0) return `PHP has ${opened} open files`;
    const before = new WebAssembly.Memory({ initial: Math.ceil(vm.size / PAGE) });
    data.fill(before);
    return packImage(vm.memory.bytes, places, new Uint8Array(before.buffer));
  }

  #start(): void {
    const { exports, memory } = this.vm;
    memory.setWord(exports.php_embed_module.value, memory.keep("cli"));
    const argv = exports.malloc(8);
    memory.setWord(argv, memory.keep("php"));
    memory.setWord(argv + 4, 0);
    if (exports.php_embed_init(1, argv) !== 0) throw new Error("PHP did not start");
    const options = exports.compiler_globals.value + COMPILER.options;
    memory.setWord(options, memory.word(options) | BY_NAME);
  }

  /** Runs a text as a file of this name. */
  execute(text: string, name: string): Ended {
    const { exports, memory } = this.vm;
    const data = new TextEncoder().encode(text);
    this.#fault = null;
    this.vm.stopped = false;
    memory.setWord(this.vm.global(EXECUTOR.exitStatus), 0);
    const title = memory.keep(name);
    exports.zend_stream_init_filename(this.#handle, title);
    const at = exports._emalloc(data.length + PADDING);
    memory.bytes.fill(0, at + data.length, at + data.length + PADDING).set(data, at);
    memory.setWord(this.#handle + HANDLE.text, at);
    memory.setWord(this.#handle + HANDLE.length, data.length);
    exports.php_execute_script_ex(this.#handle, 0);
    exports.zend_destroy_file_handle(this.#handle);
    exports.free(title);
    if (this.#fault) this.#clear();
    return this.#ended();
  }

  /** After a fatal error PHP would end: its frames are still there, and garbage collection is off. */
  #clear(): void {
    const { exports } = this.vm;
    exports.gc_protect(0);
    exports.zend_vm_stack_destroy();
    exports.zend_vm_stack_init();
  }

  /** Bytes that PHP has taken for its values. */
  get used(): number {
    return this.vm.exports.zend_memory_usage(1);
  }

  /** Runs what a script has registered for its end. */
  finish(): Ended {
    const { exports } = this.vm;
    exports.php_call_shutdown_functions();
    exports.php_free_shutdown_functions();
    exports.php_output_end_all();
    return this.#ended();
  }

  /** Removes a function or class that is about to be redefined, and makes all calls look it up again. */
  forget(kind: "function" | "class", name: string): void {
    const { memory } = this.vm;
    const table = memory.word(this.vm.global(kind === "function" ? EXECUTOR.functions : EXECUTOR.classes));
    const found = memory.unlist(table, name);
    if (found !== 0 && kind === "class") this.#forgetName(memory.word(found + CLASS.name));
  }

  /** The name of a class leads to it without a look into the table. */
  #forgetName(name: number): void {
    const { memory, exports } = this.vm;
    if ((memory.word(name + NAME.flags) & NAME.hasSlot) === 0) return;
    const slots = memory.word(exports.compiler_globals.value + COMPILER.slots);
    memory.setWord(slots + memory.word(name + NAME.slot), 0);
  }

  /** Functions cache what they call: clear these caches. */
  forgetCalls(): void {
    const { memory } = this.vm;
    const functions = memory.word(this.vm.global(EXECUTOR.functions));
    for (const each of memory.pointers(functions)) this.#forgetCalls(each);
    for (const each of memory.pointers(memory.word(this.vm.global(EXECUTOR.classes)))) {
      if (memory.view.getUint8(each + CLASS.type) !== BY_USER) continue;
      for (const method of memory.pointers(each + CLASS.methods)) this.#forgetCalls(method);
    }
  }

  #forgetCalls(at: number): void {
    const { memory } = this.vm;
    if (memory.view.getUint8(at + FUNCTION.type) !== BY_USER) return;
    const [cache, size] = [memory.word(at + FUNCTION.cache), memory.word(at + FUNCTION.cacheSize)];
    if (cache !== 0 && cache % 2 === 0) memory.bytes.fill(0, cache, cache + size);
  }

  #ended(): Ended {
    const { memory, stopped } = this.vm;
    const status = memory.word(this.vm.global(EXECUTOR.exitStatus)) & 0xff;
    return { fault: this.#fault, exitCode: this.#fault ? FAILED : status, stopped };
  }

  #hearErrors(): void {
    const { memory, exports } = this.vm;
    const onError = (type: number, file: number, line: number, message: number) => {
      const text = memory.string(message, TEXT_LIMIT);
      if ((type & FATAL) !== 0) {
        this.#fault ??= { type: type & 0x7fff, message: text, file: memory.string(file, TEXT_LIMIT), line };
        this.muted = true;
      }
      try {
        memory.call(this.#listener, type, file, line, message);
      } finally {
        this.muted = false;
      }
      this.warned(text);
    };
    memory.setWord(exports.zend_error_cb.value, memory.addFunction("viiii", onError));
  }
}
