/** Arrays. They are shared by forked shells until one of them writes. */

/** Arrays with fewer gaps than this are looked through one by one. */
const SPARSE = 1024;

/** An array by number, with gaps. */
export class IndexedArray {
  /** Set while it is only declared, until something is assigned. */
  unset = false;
  /** Set when a shell forks. */
  shared = false;
  /** JavaScript's own arrays keep gaps, and their keys in order. */
  readonly #items: string[];
  /** Counted along, since JavaScript looks at every gap to count. */
  #size: number;

  constructor(items: string[] = [], size = items.length) {
    this.#items = items;
    this.#size = size;
  }

  /** One that has no value yet. */
  static declared(): IndexedArray {
    const array = new IndexedArray();
    array.unset = true;
    return array;
  }

  get(index: number): string | undefined {
    return this.#items[index < 0 ? this.#items.length + index : index];
  }

  has(index: number): boolean {
    return this.get(index) !== undefined;
  }

  /** One more than the highest index. */
  get end(): number {
    return this.#items.length;
  }

  get size(): number {
    return this.#size;
  }

  /** Whether there are so many gaps that looking at each would take long. */
  get #sparse(): boolean {
    return this.#items.length > 4 * this.#size + SPARSE;
  }

  values(): string[] {
    if (this.#sparse) return Object.values(this.#items);
    return this.#size === this.#items.length ? this.#items.slice() : this.#items.filter(() => true);
  }

  keys(): string[] {
    return Object.keys(this.#items);
  }

  /** The array to write to: itself, or a copy if a forked shell has it too. */
  writable(): IndexedArray {
    if (!this.shared) return this;
    return new IndexedArray(this.#sparse ? Object.assign([], this.#items) : this.#items.slice(), this.#size);
  }

  /** Sets an element of an array that is `writable`; undefined removes it. */
  put(index: number, value: string | undefined): this {
    this.unset = false;
    const had = this.#items[index] !== undefined;
    setItem(this.#items, index, value);
    this.#size += (value === undefined ? 0 : 1) - (had ? 1 : 0);
    return this;
  }
}

function setItem(items: string[], index: number, value: string | undefined): string[] {
  if (value !== undefined) {
    items[index] = value;
    return items;
  }
  delete items[index];
  let end = items.length;
  for (let steps = 0; end > 0 && !((end - 1) in items) && steps < SPARSE; steps++) end--;
  const last = end > 0 && !((end - 1) in items) ? Object.keys(items).at(-1) : undefined;
  items.length = end === 0 || (end - 1) in items ? end : last === undefined ? 0 : Number(last) + 1;
  return items;
}

const BUCKETS = 1024;
const FNV_OFFSET = 2166136261;
const FNV_PRIME = 16777619;

/** An array by text, listed in the order in which bash lists it: by hash, in a bucket the latest first. */
export class AssociativeArray {
  unset = false;
  shared = false;
  readonly #items: Map<string, string>;
  #keys: string[] | undefined;

  /** `buckets`: how many there are at least, which gives the order. */
  constructor(items: Iterable<[string, string]> = [], private readonly buckets = BUCKETS) {
    this.#items = new Map(items);
  }

  static declared(): AssociativeArray {
    const array = new AssociativeArray();
    array.unset = true;
    return array;
  }

  get(key: string): string | undefined {
    return this.#items.get(key);
  }

  has(key: string): boolean {
    return this.#items.has(key);
  }

  get size(): number {
    return this.#items.size;
  }

  keys(): string[] {
    return this.#keys ??= sortByHash([...this.#items.keys()], this.buckets);
  }

  values(): string[] {
    return this.keys().map((key) => this.#items.get(key) ?? "");
  }

  /** In the order in which they were added. */
  entries(): IterableIterator<[string, string]> {
    return this.#items.entries();
  }

  writable(): AssociativeArray {
    return this.shared ? new AssociativeArray(this.#items) : this;
  }

  put(key: string, value: string | undefined): this {
    this.#keys = undefined;
    this.unset = false;
    if (value === undefined) this.#items.delete(key);
    else this.#items.set(key, value);
    return this;
  }
}

/** In the order of a table with so many buckets, which grows. */
export function sortByHash(keys: string[], least = BUCKETS): string[] {
  let buckets = least;
  while (keys.length >= buckets * 2) buckets *= 4;
  const placed = keys.map((key, order) => ({ key, order, bucket: hash(key) & (buckets - 1) }));
  return placed.sort((a, b) => a.bucket - b.bucket || b.order - a.order).map(({ key }) => key);
}

function hash(key: string): number {
  let value = FNV_OFFSET;
  for (const byte of new TextEncoder().encode(key)) value = Math.imul(value, FNV_PRIME) ^ byte;
  return value >>> 0;
}
