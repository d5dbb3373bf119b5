/** Remembers what was made last, so that what scrolls back into sight is not made again. */

export class Recent<Value> {
  readonly #known = new Map<string, Value>();

  constructor(readonly most: number) {}

  get(key: string): Value | undefined {
    const value = this.#known.get(key);
    if (value === undefined) return undefined;
    this.#known.delete(key);
    this.#known.set(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    this.#known.set(key, value);
    const oldest = this.#known.keys().next();
    if (this.#known.size > this.most && !oldest.done) this.#known.delete(oldest.value);
  }
}
