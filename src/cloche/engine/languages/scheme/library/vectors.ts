/** Vectors and bytevectors. */

import { concatBytes } from "../../../text/bytes.ts";
import { chargeWords } from "../vm/work_meter.ts";
import { itemsOf, listOf, Text, type Value } from "../vm/values.ts";
import { asByte, asBytevector, asChar, asIndex, asRange, asSize, asVector, type Registry } from "./registry.ts";

function addVectors(r: Registry): void {
  r.fn("vector?", 1, (x: Value) => Array.isArray(x));
  r.fn("make-vector", [1, 2], (n: Value, x: Value = 0) => new Array(asSize(n, "make-vector")).fill(x));
  r.rest("vector", 0, (args) => args.slice());
  r.fn("vector-length", 1, (v: Value) => asVector(v, "vector-length").length);
  r.fn("vector-ref", 2, (v: Value, k: Value) => {
    const items = asVector(v, "vector-ref");
    return items[asIndex(k, items.length, "vector-ref")];
  });
  r.fn("vector-set!", 3, (v: Value, k: Value, x: Value) => {
    const items = asVector(v, "vector-set!");
    items[asIndex(k, items.length, "vector-set!")] = x;
  });
  const part = (v: Value, start: Value, end: Value, who: string) => {
    const items = asVector(v, who);
    chargeWords(items.length);
    return items.slice(...asRange(start, end, items.length, who));
  };
  r.fn("vector->list", [1, 3], (v: Value, start: Value, end: Value) => listOf(part(v, start, end, "vector->list")));
  r.fn("list->vector", 1, (x: Value) => itemsOf(x, "list->vector"));
  r.fn("vector-copy", [1, 3], (v: Value, start: Value, end: Value) => part(v, start, end, "vector-copy"));
  r.alias("subvector", "vector-copy");
  r.fn("vector->string", [1, 3], (v: Value, start: Value, end: Value) => {
    return Text.of(part(v, start, end, "vector->string").map((item) => asChar(item, "vector->string").code));
  });
  r.rest("vector-append", 0, (args) => {
    const all = args.flatMap((arg) => asVector(arg, "vector-append"));
    chargeWords(all.length);
    return all;
  });
  r.fn("vector-fill!", [2, 4], (v: Value, x: Value, start: Value, end: Value) => {
    const items = asVector(v, "vector-fill!");
    items.fill(x, ...asRange(start, end, items.length, "vector-fill!"));
  });
  r.fn("vector-copy!", [3, 5], (to: Value, at: Value, from: Value, start: Value, end: Value) => {
    const target = asVector(to, "vector-copy!");
    const items = part(from, start, end, "vector-copy!");
    const position = asIndex(at, target.length - items.length + 1, "vector-copy!");
    for (let i = 0; i < items.length; i++) target[position + i] = items[i];
  });
  r.fn("vector-grow", 2, (v: Value, n: Value) => {
    const items = asVector(v, "vector-grow");
    return [...items, ...new Array(Math.max(0, asSize(n, "vector-grow") - items.length)).fill(0)];
  });
}

function addBytevectors(r: Registry): void {
  r.fn("bytevector?", 1, (x: Value) => x instanceof Uint8Array);
  r.fn("make-bytevector", [1, 2], (n: Value, x: Value = 0) => {
    return new Uint8Array(asSize(n, "make-bytevector")).fill(asByte(x, "make-bytevector"));
  });
  r.rest("bytevector", 0, (args) => Uint8Array.from(args.map((arg) => asByte(arg, "bytevector"))));
  r.fn("bytevector-length", 1, (v: Value) => asBytevector(v, "bytevector-length").length);
  r.fn("bytevector-u8-ref", 2, (v: Value, k: Value) => {
    const data = asBytevector(v, "bytevector-u8-ref");
    return data[asIndex(k, data.length, "bytevector-u8-ref")];
  });
  r.fn("bytevector-u8-set!", 3, (v: Value, k: Value, x: Value) => {
    const data = asBytevector(v, "bytevector-u8-set!");
    data[asIndex(k, data.length, "bytevector-u8-set!")] = asByte(x, "bytevector-u8-set!");
  });
  r.fn("bytevector-copy", [1, 3], (v: Value, start: Value, end: Value) => {
    const data = asBytevector(v, "bytevector-copy");
    return data.slice(...asRange(start, end, data.length, "bytevector-copy"));
  });
  r.fn("bytevector-copy!", [3, 5], (to: Value, at: Value, from: Value, start: Value, end: Value) => {
    const [target, source] = [asBytevector(to, "bytevector-copy!"), asBytevector(from, "bytevector-copy!")];
    const part = source.slice(...asRange(start, end, source.length, "bytevector-copy!"));
    target.set(part, asIndex(at, target.length - part.length + 1, "bytevector-copy!"));
  });
  r.fn("bytevector-fill!", [2, 4], (v: Value, x: Value, start: Value, end: Value) => {
    const data = asBytevector(v, "bytevector-fill!");
    data.fill(asByte(x, "bytevector-fill!"), ...asRange(start, end, data.length, "bytevector-fill!"));
  });
  r.rest("bytevector-append", 0, (args) => concatBytes(args.map((arg) => asBytevector(arg, "bytevector-append"))));
  r.fn("utf8->string", [1, 3], (v: Value, start: Value, end: Value) => {
    const data = asBytevector(v, "utf8->string");
    return new Text(new TextDecoder().decode(data.subarray(...asRange(start, end, data.length, "utf8->string"))));
  });
}

export function addVectorsAndBytes(r: Registry): void {
  addVectors(r);
  addBytevectors(r);
}
