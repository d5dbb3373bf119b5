/** Reads and writes a program's memory for WASI calls: every address comes from the program and is checked. */

import { throwErrno } from "./errno.ts";

/** More pieces than any libc uses in one call. */
const MAX_PIECES = 1024;
const MAX_PATH = 4096;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export class Memory {
  #memory: WebAssembly.Memory | undefined;
  #bytes = new Uint8Array(0) as Uint8Array;
  #view: DataView = new DataView(this.#bytes.buffer);

  attach(memory: WebAssembly.Memory): void {
    this.#memory = memory;
    this.#renew();
  }

  /** The bytes themselves, not a copy: use them before the program continues. */
  bytes(at: number, length: number): Uint8Array {
    const start = this.#check(at, length);
    return this.#bytes.subarray(start, start + (length >>> 0));
  }

  /** A list of buffers, as reading and writing calls pass it. */
  pieces(at: number, count: number): Uint8Array[] {
    if (count >>> 0 > MAX_PIECES) throwErrno("EINVAL");
    return Array.from({ length: count }, (_, index) => {
      const entry = at + index * 8;
      return this.bytes(this.u32(entry), this.u32(entry + 4));
    });
  }

  text(at: number, length: number): string {
    if (length >>> 0 > MAX_PATH) throwErrno("ENAMETOOLONG");
    let text = "";
    try {
      text = decoder.decode(this.bytes(at, length));
    } catch (error) {
      if (error instanceof TypeError) throwErrno("EILSEQ");
      throw error;
    }
    if (text.includes("\0")) throwErrno("EINVAL");
    return text;
  }

  /** Writes as much of the string as fits; returns the number of bytes. */
  putText(at: number, length: number, text: string): number {
    return encoder.encodeInto(text, this.bytes(at, length)).written;
  }

  u8(at: number): number {
    return this.#look(at, 1).getUint8(at >>> 0);
  }

  u16(at: number): number {
    return this.#look(at, 2).getUint16(at >>> 0, true);
  }

  u32(at: number): number {
    return this.#look(at, 4).getUint32(at >>> 0, true);
  }

  u64(at: number): bigint {
    return this.#look(at, 8).getBigUint64(at >>> 0, true);
  }

  putU8(at: number, value: number): void {
    this.#look(at, 1).setUint8(at >>> 0, value);
  }

  putU16(at: number, value: number): void {
    this.#look(at, 2).setUint16(at >>> 0, value, true);
  }

  putU32(at: number, value: number): void {
    this.#look(at, 4).setUint32(at >>> 0, value, true);
  }

  putU64(at: number, value: bigint): void {
    this.#look(at, 8).setBigUint64(at >>> 0, value, true);
  }

  #look(at: number, length: number): DataView {
    this.#check(at, length);
    return this.#view;
  }

  #check(at: number, length: number): number {
    if (this.#memory && this.#memory.buffer !== this.#bytes.buffer) this.#renew();
    const start = at >>> 0;
    if (start + (length >>> 0) > this.#bytes.length) throwErrno("EFAULT");
    return start;
  }

  /** Memory that has grown has a new buffer. */
  #renew(): void {
    const buffer = this.#memory?.buffer ?? new ArrayBuffer(0);
    this.#bytes = new Uint8Array(buffer);
    this.#view = new DataView(buffer);
  }
}
