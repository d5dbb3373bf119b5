/** Growing output, and errors of compressed data. */

/** Data that cannot be what it is said to be. */
export class BadData extends Error {
  override readonly name = "BadData";
}

const FIRST_SIZE = 65536;

/** Bytes that grow as they are written, and can be read back. */
export class GrowingBytes {
  bytes = new Uint8Array(FIRST_SIZE);
  length = 0;

  reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(this.bytes.length * 2, this.length + more));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }

  push(byte: number): void {
    if (this.length === this.bytes.length) this.reserve(1);
    this.bytes[this.length++] = byte;
  }

  append(part: Uint8Array): void {
    this.reserve(part.length);
    this.bytes.set(part, this.length);
    this.length += part.length;
  }

  /** Repeats what lies `distance` back. */
  repeat(distance: number, count: number): void {
    this.reserve(count);
    const { bytes } = this;
    let from = this.length - distance;
    for (const end = this.length + count; this.length < end;) bytes[this.length++] = bytes[from++];
  }

  done(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }
}

/** Lets others run now and then, and ends when it is to end. */
export type Breathe = () => Promise<void>;
