/** Hash tables. Those procedures that call others are written in Scheme. */

import { wrongType } from "../vm/errors.ts";
import { writeValue } from "../syntax/printer.ts";
import { nameOf } from "../vm/procedures.ts";
import { itemsOf, listOf, Pair, type Value } from "../vm/values.ts";
import { equalKey, isEqual } from "./equality.ts";
import type { Registry } from "./registry.ts";

interface Entry {
  key: Value;
  value: Value;
}

/** In the order in which keys were added; compound keys that look alike share a bucket. */
class Table {
  readonly kind = "hash-table";
  readonly #entries = new Map<Value, Entry | Entry[]>();
  #count = 0;

  constructor(readonly deep: boolean) {}

  get count(): number {
    return this.#count;
  }

  find(key: Value): Entry | null {
    const found = this.#entries.get(this.#hash(key));
    if (Array.isArray(found)) return found.find((entry) => isEqual(entry.key, key)) ?? null;
    return found ?? null;
  }

  set(key: Value, value: Value): void {
    const known = this.find(key);
    if (known) {
      known.value = value;
      return;
    }
    this.#count++;
    const [hash, entry] = [this.#hash(key), { key, value }];
    if (!isCompound(key) || !this.deep) return void this.#entries.set(hash, entry);
    const bucket = this.#entries.get(hash) as Entry[] | undefined;
    if (bucket) bucket.push(entry);
    else this.#entries.set(hash, [entry]);
  }

  delete(key: Value): boolean {
    if (!this.find(key)) return false;
    this.#count--;
    const hash = this.#hash(key);
    const found = this.#entries.get(hash);
    const rest = Array.isArray(found) ? found.filter((entry) => !isEqual(entry.key, key)) : [];
    if (rest.length > 0) this.#entries.set(hash, rest);
    else this.#entries.delete(hash);
    return true;
  }

  clear(): void {
    this.#entries.clear();
    this.#count = 0;
  }

  list(): Entry[] {
    return [...this.#entries.values()].flat();
  }

  #hash(key: Value): Value {
    if (!this.deep) return typeof key === "object" ? shallowKey(key) : key;
    return isCompound(key) ? `c${writeValue(key)}` : equalKey(key);
  }
}

function shallowKey(key: Value): Value {
  const found = equalKey(key);
  return typeof found === "string" && found.startsWith("s") ? key : found;
}

function isCompound(value: Value): boolean {
  return value instanceof Pair || Array.isArray(value) || value instanceof Uint8Array;
}

function table(value: Value, who: string): Table {
  if (value instanceof Table) return value;
  throw wrongType(who, "a hash table", value);
}

const SHALLOW = ["eq?", "eqv?", "=", "char=?", "symbol=?"];

function addMaking(r: Registry): void {
  const made = (same: Value) => new Table(!SHALLOW.includes(nameOf(same) ?? ""));
  r.rest("make-hash-table", 0, (args) => made(args[0]));
  for (const name of ["make-equal-hash-table", "make-string-hash-table"]) r.rest(name, 0, () => new Table(true));
  for (const name of ["make-eqv-hash-table", "make-eq-hash-table", "make-strong-eqv-hash-table"]) {
    r.rest(name, 0, () => new Table(false));
  }
  r.rest("hash-table", 0, (args) => {
    const result = made(args[0]);
    for (let i = 1; i + 1 < args.length; i += 2) result.set(args[i], args[i + 1]);
    return result;
  });
  r.rest("alist->hash-table", 1, (args) => {
    const result = made(args[1]);
    for (const each of itemsOf(args[0], "alist->hash-table")) {
      if (!(each instanceof Pair)) throw wrongType("alist->hash-table", "a list of pairs", args[0]);
      if (!result.find(each.car)) result.set(each.car, each.cdr);
    }
    return result;
  });
  r.fn("hash-table-copy", [1, 2], (t: Value) => {
    const source = table(t, "hash-table-copy");
    const copy = new Table(source.deep);
    for (const { key, value } of source.list()) copy.set(key, value);
    return copy;
  });
}

export function addTables(r: Registry): void {
  addMaking(r);
  r.fn("hash-table?", 1, (x: Value) => x instanceof Table);
  r.rest("hash-table-set!", 1, (args) => {
    const target = table(args[0], "hash-table-set!");
    for (let i = 1; i + 1 < args.length; i += 2) target.set(args[i], args[i + 1]);
  });
  r.fn("hash-table-ref/default", 3, (t: Value, key: Value, otherwise: Value) => {
    const found = table(t, "hash-table-ref/default").find(key);
    return found ? found.value : otherwise;
  });
  r.rest("hash-table-delete!", 1, (args) => {
    const target = table(args[0], "hash-table-delete!");
    return args.slice(1).filter((key) => target.delete(key)).length;
  });
  for (const name of ["hash-table-contains?", "hash-table-exists?"]) {
    r.fn(name, 2, (t: Value, key: Value) => table(t, name).find(key) !== null);
  }
  for (const name of ["hash-table-size", "hash-table-count", "hash-table/count"]) {
    r.fn(name, 1, (t: Value) => table(t, name).count);
  }
  r.fn("hash-table-empty?", 1, (t: Value) => table(t, "hash-table-empty?").count === 0);
  r.fn("hash-table-clear!", 1, (t: Value) => table(t, "hash-table-clear!").clear());
  const lists = (name: string, part: (entry: Entry) => Value) =>
    r.fn(name, 1, (t: Value) => listOf(table(t, name).list().map(part)));
  lists("hash-table-keys", ({ key }) => key);
  lists("hash-table-values", ({ value }) => value);
  lists("hash-table->alist", ({ key, value }) => new Pair(key, value));
  for (const name of ["hash-table-merge!", "hash-table-union!"]) {
    r.fn(name, 2, (to: Value, from: Value) => {
      const target = table(to, name);
      for (const { key, value } of table(from, name).list()) if (!target.find(key)) target.set(key, value);
      return target;
    });
  }
}
