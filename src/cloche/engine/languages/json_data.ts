/** Values as JSON, where they are plain data through and through: what the host reads `Result.data` from. */

import { DATA_LIMITS } from "./data_limits.ts";

const { length: LENGTH, depth: DEPTH, values: VALUES } = DATA_LIMITS;
const INT64 = 2n ** 63n;

/** A value is met that is no data, or too much of it. */
class NotData extends Error {}

/** Writes the parts of a value; each may call it for what it holds. */
export class DataWriter {
  #left = VALUES;
  #depth = 0;

  /** Everything that is not one of the others. */
  refuse(): never {
    throw new NotData();
  }

  text(value: string): string {
    return value.length <= LENGTH ? JSON.stringify(value) : this.refuse();
  }

  real(value: number): string {
    return Number.isFinite(value) ? JSON.stringify(value) : this.refuse();
  }

  integer(value: number | bigint): string {
    return value < INT64 && value >= -INT64 ? `${value}` : this.refuse();
  }

  list<T>(items: Iterable<T>, write: (item: T) => string): string {
    return `[${this.#inside(items, write)}]`;
  }

  /** Names that are there twice would be lost. */
  object<T>(items: [name: string, value: T][], write: (item: T) => string): string {
    if (new Set(items.map(([name]) => name)).size < items.length) this.refuse();
    return `{${this.#inside(items, ([name, value]) => `${this.text(name)}:${write(value)}`)}}`;
  }

  #inside<T>(items: Iterable<T>, write: (item: T) => string): string {
    if (this.#depth++ === DEPTH) this.refuse();
    const parts: string[] = [];
    for (const item of items) parts.push(--this.#left < 0 ? this.refuse() : write(item));
    this.#depth--;
    return parts.join(",");
  }
}

/** Null when it is no data. */
export function writeData(write: (data: DataWriter) => string): string | null {
  try {
    return checkData(write(new DataWriter()));
  } catch (error) {
    if (error instanceof NotData) return null;
    throw error;
  }
}

/** What a guest has written itself, if it is not too much. */
export function checkData(json: unknown): string | null {
  return typeof json === "string" && json !== "" && json.length <= LENGTH ? json : null;
}
