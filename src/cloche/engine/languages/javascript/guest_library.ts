/** The guest's own modules, compiled, in one file that starts with their positions. */

/** Modules whose bare names are packages of npm. */
const PREFIXED = /^test(\/|$)/;

export class Library {
  readonly #places: Record<string, [start: number, length: number]>;
  readonly #start: number;

  constructor(private readonly data: Uint8Array) {
    const length = new DataView(data.buffer, data.byteOffset).getUint32(0, true);
    this.#start = 4 + length;
    this.#places = JSON.parse(new TextDecoder().decode(data.subarray(4, this.#start)));
  }

  /** The names that programs may require; some only with `node:` before them. */
  get names(): Set<string> {
    const names = Object.keys(this.#places).filter((name) => name !== "boot" && !name.startsWith("internal/"));
    return new Set(names.map((name) => PREFIXED.test(name) ? `node:${name}` : name));
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#places, name);
  }

  get(name: string): Uint8Array | undefined {
    if (!this.has(name)) return undefined;
    const [start, length] = this.#places[name];
    return this.data.subarray(this.#start + start, this.#start + start + length);
  }
}
