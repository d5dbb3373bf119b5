/** Locks on databases: connections of one worker know of each other. */

const LEVEL = { none: 0, shared: 1, reserved: 2, pending: 3, exclusive: 4 };

/** One open database file of one connection. */
export interface Holder {
  level: number;
}

export class Locks {
  readonly #holders = new Map<string, Set<Holder>>();

  /** Raises a lock; false if the other connections do not allow it. */
  raise(path: string, holder: Holder, level: number): boolean {
    const others = this.#others(path, holder);
    const highest = Math.max(LEVEL.none, ...others.map((each) => each.level));
    if (holder.level >= level) return true;
    if (level === LEVEL.shared && highest >= LEVEL.pending) return false;
    if (level >= LEVEL.reserved && highest >= LEVEL.reserved) return false;
    if (level === LEVEL.exclusive && highest >= LEVEL.shared) {
      // Readers may finish; none may start.
      holder.level = LEVEL.pending;
      return false;
    }
    holder.level = level;
    const all = this.#holders.get(path) ?? new Set();
    this.#holders.set(path, all.add(holder));
    return true;
  }

  lower(path: string, holder: Holder, level: number): void {
    holder.level = Math.min(holder.level, level);
    if (holder.level > LEVEL.none) return;
    const all = this.#holders.get(path);
    all?.delete(holder);
    if (all?.size === 0) this.#holders.delete(path);
  }

  /** Whether a connection is about to write. */
  isReserved(path: string): boolean {
    return [...this.#holders.get(path) ?? []].some(({ level }) => level >= LEVEL.reserved);
  }

  #others(path: string, holder: Holder): Holder[] {
    return [...this.#holders.get(path) ?? []].filter((each) => each !== holder);
  }
}
