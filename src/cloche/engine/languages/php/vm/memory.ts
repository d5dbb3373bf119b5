/** PHP's memory: its strings and tables as this build lays them out, and functions of ours that it calls. */

import { installFunctions } from "../../../wasm/table_functions.ts";
import type { Exports } from "./types.ts";

/** Offsets in the structures of PHP 8.4 with 32-bit addresses. */
const STRING = { length: 16, text: 20 };
const TABLE = { data: 16, used: 20, destructor: 48 };
const BUCKET = { size: 32, type: 8 };
const UNDEFINED = 0;
const decoder = new TextDecoder();

export class PhpMemory {
  constructor(private readonly exports: Exports) {}

  get view(): DataView {
    return new DataView(this.exports.memory.buffer);
  }

  get bytes(): Uint8Array {
    return new Uint8Array(this.exports.memory.buffer);
  }

  word(at: number): number {
    return this.view.getUint32(at, true);
  }

  setWord(at: number, value: number): void {
    this.view.setUint32(at, value, true);
  }

  /** A text that ends with a zero byte, and stays. */
  keep(text: string): number {
    const data = new TextEncoder().encode(`${text}\0`);
    const at = this.exports.malloc(data.length);
    if (at === 0) throw new Error("PHP has no memory left");
    this.bytes.set(data, at);
    return at;
  }

  /** One of PHP's own strings. */
  string(at: number, limit: number): string {
    if (at === 0) return "";
    const length = Math.min(this.word(at + STRING.length), limit);
    return decoder.decode(this.bytes.slice(at + STRING.text, at + STRING.text + length));
  }

  /** The pointers that a table holds. */
  *pointers(table: number): Generator<number> {
    const [data, used] = [this.word(table + TABLE.data), this.word(table + TABLE.used)];
    for (let at = data; at < data + used * BUCKET.size; at += BUCKET.size) {
      if (this.view.getUint8(at + BUCKET.type) !== UNDEFINED) yield this.word(at);
    }
  }

  /** Removes an entry from a table without freeing it, because it may still be used; returns it, 0 if there is none. */
  unlist(table: number, name: string): number {
    const at = this.keep(name);
    const length = new TextEncoder().encode(name).length;
    const place = this.exports.zend_hash_str_find(table, at, length);
    const found = place === 0 ? 0 : this.word(place);
    const destructor = this.word(table + TABLE.destructor);
    this.setWord(table + TABLE.destructor, 0);
    this.exports.zend_hash_str_del(table, at, length);
    this.setWord(table + TABLE.destructor, destructor);
    this.exports.free(at);
    return found;
  }

  /** Puts a function of ours where PHP can call it, and returns its number. */
  addFunction(signature: string, run: (...args: number[]) => number | void): number {
    return installFunctions(this.exports.__indirect_function_table, [{ signature, run }])[0];
  }

  call(index: number, ...args: number[]): void {
    (this.exports.__indirect_function_table.get(index) as (...args: number[]) => void)(...args);
  }
}
