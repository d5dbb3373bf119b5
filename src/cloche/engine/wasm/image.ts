/** The memory of a program, on disk: only pages that are not zero, and notes of where things lie in it. */

const PAGE = 4096;
const WASM_PAGE = 64 << 10;
const HEAD = 16;
const MAGIC = 0x434c4f49;
/** So many zeros between two pieces cost less than a piece more. */
const GAP = 64 << 10;

/** Where an image is read from. */
export interface Source {
  read(into: Uint8Array, position: number): void;
}

/** Layout: magic, size of the memory, length of the notes, number of runs; runs as (address, length); notes; pages. */
export function packImage(memory: WebAssembly.Memory, notes: unknown): Uint8Array[] {
  const bytes = new Uint8Array(memory.buffer);
  const text = new TextEncoder().encode(JSON.stringify(notes));
  const runs = usedRuns(bytes);
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
    if (magic !== MAGIC) throw new Error("this is not the image of a program's memory");
    this.#size = size;
    this.#runs = new Uint32Array(count * 2);
    source.read(new Uint8Array(this.#runs.buffer), HEAD);
    const text = new Uint8Array(length);
    source.read(text, HEAD + this.#runs.byteLength);
    this.notes = JSON.parse(new TextDecoder().decode(text));
    this.#pages = HEAD + this.#runs.byteLength + length;
  }

  /** Fills a memory in which nothing has been written yet. */
  fill(memory: WebAssembly.Memory): void {
    memory.grow((this.#size - memory.buffer.byteLength) / WASM_PAGE);
    const bytes = new Uint8Array(memory.buffer);
    let position = this.#pages;
    for (let i = 0; i < this.#runs.length; i += 2) {
      const [at, length] = [this.#runs[i], this.#runs[i + 1]];
      this.source.read(bytes.subarray(at, at + length), position);
      position += length;
    }
  }
}

function usedRuns(bytes: Uint8Array): [number, number][] {
  const words = new BigUint64Array(bytes.buffer);
  const runs: [number, number][] = [];
  for (let at = 0; at < bytes.length; at += PAGE) {
    if (words.subarray(at / 8, (at + PAGE) / 8).every((word) => word === 0n)) continue;
    const last = runs.at(-1);
    if (last && at - (last[0] + last[1]) <= GAP) last[1] = at + PAGE - last[0];
    else runs.push([at, PAGE]);
  }
  return runs;
}
