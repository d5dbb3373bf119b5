/** The memory of a module on disk: only pages that have changed, and notes of where things are. */

const PAGE = 4096;
const WASM_PAGE = 64 << 10;
const HEAD = 16;
const MAGIC = 0x434c4f49;
/** Up to this many zeros between two pieces cost less than another piece. */
const GAP = 64 << 10;

/** Where an image is read from. */
export interface Source {
  read(into: Uint8Array, position: number): void;
}

/**
 * The parts of a memory that differ from the initial one, or from zero. Layout: magic, size of the memory, length of
 * the notes, number of runs; runs as (address, length); notes; pages.
 */
export function packImage(bytes: Uint8Array, notes: unknown, before: Uint8Array = new Uint8Array(0)): Uint8Array[] {
  const text = new TextEncoder().encode(JSON.stringify(notes));
  const runs = changedRuns(bytes, before);
  const head = new Uint32Array([MAGIC, bytes.length, text.length, runs.length, ...runs.flat()]);
  return [new Uint8Array(head.buffer), text, ...runs.map(([at, length]) => bytes.slice(at, at + length))];
}

export class Image<Notes> {
  readonly notes: Notes;
  readonly #size: number;
  readonly #runs: Uint32Array;
  readonly #pages: number;

  constructor(private readonly source: Source) {
    const head = new Uint32Array(HEAD / 4);
    source.read(new Uint8Array(head.buffer), 0);
    const [magic, size, length, count] = head;
    if (magic !== MAGIC) throw new Error("this is not the image of a module's memory");
    this.#size = size;
    this.#runs = new Uint32Array(count * 2);
    source.read(new Uint8Array(this.#runs.buffer), HEAD);
    const text = new Uint8Array(length);
    source.read(text, HEAD + this.#runs.byteLength);
    this.notes = JSON.parse(new TextDecoder().decode(text));
    this.#pages = HEAD + this.#runs.byteLength + length;
  }

  /** Grows a memory to its saved size. */
  grow(memory: WebAssembly.Memory): void {
    const missing = (this.#size - memory.buffer.byteLength) / WASM_PAGE;
    // Even growing by nothing would detach the views of the memory.
    if (missing) memory.grow(missing);
  }

  /** Writes it into a memory that is as it was at first, or zero. */
  fill(memory: WebAssembly.Memory): void {
    this.grow(memory);
    const bytes = new Uint8Array(memory.buffer);
    let position = this.#pages;
    for (let i = 0; i < this.#runs.length; i += 2) {
      const [at, length] = [this.#runs[i], this.#runs[i + 1]];
      this.source.read(bytes.subarray(at, at + length), position);
      position += length;
    }
  }
}

function changedRuns(bytes: Uint8Array, before: Uint8Array): [number, number][] {
  const [words, old] = [bytes, before].map(({ buffer, byteOffset, length }) =>
    new BigUint64Array(buffer, byteOffset, length / 8)
  );
  const runs: [number, number][] = [];
  for (let at = 0; at < bytes.length; at += PAGE) {
    const first = at / 8;
    if (words.subarray(first, first + PAGE / 8).every((word, index) => word === (old[first + index] ?? 0n))) continue;
    const last = runs.at(-1);
    if (last && at - (last[0] + last[1]) <= GAP) last[1] = at + PAGE - last[0];
    else runs.push([at, PAGE]);
  }
  return runs;
}
