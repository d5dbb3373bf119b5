/** Writes values as JSON if they are plain data throughout; the host reads `Result.data` from it. */

import { FIXED_LIMITS } from "../limits.ts";

const { dataLimit: LENGTH, dataDepth: DEPTH, dataValues: VALUES } = FIXED_LIMITS;
const INT64 = 2n ** 63n;

/** Thrown for a value that is not plain data, or too large. */
class NotData extends Error {}

/** Writes the parts of a value; each may call it for its own parts. */
export class DataWriter {
  #left = VALUES;
  /** The budget that all strings share. */
  #room = LENGTH;
  #depth = 0;

  /** Any other value. */
  refuse(): never {
    throw new NotData();
  }

  /** Refuses a container with too many values before it is read. */
  expect(values: number): void {
    if (values > this.#left) this.refuse();
  }

  text(value: string): string {
    this.#room -= value.length;
    return this.#room >= 0 ? JSON.stringify(value) : this.refuse();
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

  /** Duplicate names would be lost. */
  object<T>(items: Iterable<[name: string, value: T]>, write: (item: T) => string): string {
    const names = new Set<string>();
    const parts = this.#inside(items, ([name, value]) => {
      if (names.has(name)) this.refuse();
      names.add(name);
      return `${this.text(name)}:${write(value)}`;
    });
    return `{${parts}}`;
  }

  #inside<T>(items: Iterable<T>, write: (item: T) => string): string {
    if (this.#depth++ === DEPTH) this.refuse();
    const parts: string[] = [];
    for (const item of items) parts.push(--this.#left < 0 ? this.refuse() : write(item));
    this.#depth--;
    return parts.join(",");
  }
}

/** Null if it is not plain data. */
export function writeData(write: (data: DataWriter) => string): string | null {
  try {
    return checkData(write(new DataWriter()));
  } catch (error) {
    if (error instanceof NotData) return null;
    throw error;
  }
}

/** JSON that a guest has written itself, if it is not too long. */
export function checkData(json: unknown): string | null {
  return typeof json === "string" && json !== "" && json.length <= LENGTH ? json : null;
}
