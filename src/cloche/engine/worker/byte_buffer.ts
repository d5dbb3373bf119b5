/** Collects bytes that come in many small pieces. */

const FIRST = 1 << 12;
/** Bytes that are kept. */
const MOST = 64 << 20;

export class ByteBuffer {
  #data = new Uint8Array(FIRST);
  #used = 0;

  /** Copies the piece: its memory may change. Throws if there would be too many bytes. */
  add(piece: Uint8Array): void {
    const wanted = this.#used + piece.length;
    if (wanted > MOST) throw new BufferFull(`more than ${MOST >> 20} MB were printed`);
    if (wanted > this.#data.length) {
      const larger = new Uint8Array(Math.max(wanted, this.#data.length * 2));
      larger.set(this.#data.subarray(0, this.#used));
      this.#data = larger;
    }
    this.#data.set(piece, this.#used);
    this.#used = wanted;
  }

  /** Whether this many more bytes can be kept. */
  takes(count: number): boolean {
    return this.#used + count <= MOST;
  }

  get size(): number {
    return this.#used;
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#data.slice(0, this.#used);
  }

  /** All bytes, which are not kept any longer. */
  take(): Uint8Array<ArrayBuffer> {
    const { bytes } = this;
    this.#used = 0;
    return bytes;
  }
}

export class BufferFull extends Error {
  override readonly name = "TooMuch";
}
