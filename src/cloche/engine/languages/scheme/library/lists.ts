/** Pairs, lists and symbols. */

import { raiseFailure, wrongType } from "../vm/errors.ts";
import { addNumbers } from "../numbers/numbers.ts";
import { internSymbol, isCyclic, isList, itemsOf, listOf, NIL, Pair, Sym, Text, type Value } from "../vm/values.ts";
import { isEqual, isEqv } from "./equality.ts";
import { asPair, asSize, asSymbol, asText, MAX_LENGTH, type Registry } from "./registry.ts";

type Same = (a: Value, b: Value) => boolean;

function addPairs(r: Registry): void {
  r.fn("cons", 2, (a: Value, b: Value) => new Pair(a, b));
  r.fn("set-car!", 2, (p: Value, x: Value) => void (asPair(p, "set-car!").car = x));
  r.fn("set-cdr!", 2, (p: Value, x: Value) => void (asPair(p, "set-cdr!").cdr = x));
  r.fn("pair?", 1, (x: Value) => x instanceof Pair);
  r.fn("null?", 1, (x: Value) => x === NIL);
  r.fn("list?", 1, isList);
  for (const path of paths(4)) {
    const name = `c${path}r`;
    const steps = [...path].reverse();
    if (path === "a") r.fn(name, 1, (x: Value) => asPair(x, "car").car);
    else if (path === "d") r.fn(name, 1, (x: Value) => asPair(x, "cdr").cdr);
    else {
      r.fn(name, 1, (x: Value) => {
        for (const step of steps) x = step === "a" ? asPair(x, name).car : asPair(x, name).cdr;
        return x;
      });
    }
  }
}

function paths(length: number): string[] {
  if (length === 0) return [];
  const shorter = paths(length - 1);
  return [...new Set(["a", "d", ...shorter.flatMap((path) => ["a" + path, "d" + path])])];
}

function addLists(r: Registry): void {
  r.rest("list", 0, (args) => listOf(args));
  r.rest("cons*", 1, (args) => listOf(args.slice(0, -1), args[args.length - 1]));
  r.alias("list*", "cons*");
  r.fn("make-list", [1, 2], (n: Value, x: Value) => listOf(new Array(asSize(n, "make-list")).fill(x)));
  r.fn("length", 1, (x: Value) => lengthOf(x, "length"));
  r.rest("append", 0, (args) => {
    let result = args.length > 0 ? args[args.length - 1] : NIL;
    for (let i = args.length - 2; i >= 0; i--) result = listOf(itemsOf(args[i], "append"), result);
    return result;
  });
  r.alias("append!", "append");
  r.fn("reverse", 1, (x: Value) => reversed(x, NIL, "reverse"));
  r.alias("reverse!", "reverse");
  r.fn("append-reverse", 2, (x: Value, tail: Value) => reversed(x, tail, "append-reverse"));
  r.fn("list-tail", 2, (x: Value, k: Value) => tail(x, asSize(k, "list-tail"), "list-tail"));
  r.fn("drop", 2, (x: Value, k: Value) => tail(x, asSize(k, "drop"), "drop"));
  r.fn("list-ref", 2, (x: Value, k: Value) => asPair(tail(x, asSize(k, "list-ref"), "list-ref"), "list-ref").car);
  r.fn("list-set!", 3, (x: Value, k: Value, value: Value) => {
    asPair(tail(x, asSize(k, "list-set!"), "list-set!"), "list-set!").car = value;
  });
  r.fn("list-copy", 1, (x: Value) => {
    const items: Value[] = [];
    for (; x instanceof Pair && items.length < MAX_LENGTH; x = x.cdr) items.push(x.car);
    return listOf(items, x);
  });
  addPositions(r);
}

function addPositions(r: Registry): void {
  r.fn("take", 2, (x: Value, k: Value) => listOf(firsts(x, asSize(k, "take"), "take")));
  r.fn(
    "take-right",
    2,
    (x: Value, k: Value) => tail(x, lengthOf(x, "take-right") - asSize(k, "take-right"), "take-right"),
  );
  r.fn("drop-right", 2, (x: Value, k: Value) => {
    return listOf(firsts(x, lengthOf(x, "drop-right") - asSize(k, "drop-right"), "drop-right"));
  });
  r.fn("last-pair", 1, (x: Value) => lastPair(x, "last-pair"));
  r.fn("last", 1, (x: Value) => lastPair(x, "last").car);
  r.fn("iota", [1, 3], (n: Value, start: Value = 0, step: Value = 1) => {
    const items: Value[] = [];
    for (let left = asSize(n, "iota"), next = start; left > 0; left--, next = addNumbers(next, step)) items.push(next);
    return listOf(items);
  });
  ["first", "second", "third", "fourth", "fifth"].forEach((name, i) => {
    r.fn(name, 1, (x: Value) => asPair(tail(x, i, name), name).car);
  });
  r.fn("concatenate", 1, (x: Value) => {
    return itemsOf(x, "concatenate").reduceRight(
      (rest: Value, part) => listOf(itemsOf(part, "concatenate"), rest),
      NIL,
    );
  });
}

function lengthOf(value: Value, who: string): number {
  let [rest, count] = [value, 0];
  for (; rest instanceof Pair; rest = rest.cdr) if (++count % MAX_LENGTH === 0 && isCyclic(value)) break;
  if (rest !== NIL) throw wrongType(who, "a list", value);
  return count;
}

function reversed(value: Value, onto: Value, who: string): Value {
  lengthOf(value, who);
  let result = onto;
  for (let rest = value; rest instanceof Pair; rest = rest.cdr) result = new Pair(rest.car, result);
  return result;
}

function tail(value: Value, count: number, who: string): Value {
  let rest = value;
  for (let i = 0; i < count; i++) {
    if (!(rest instanceof Pair)) throw raiseFailure("OutOfRange", `${who}: the list is too short:`, value, count);
    rest = rest.cdr;
  }
  return rest;
}

function firsts(value: Value, count: number, who: string): Value[] {
  const items: Value[] = [];
  for (let rest = value; items.length < count; rest = rest.cdr) {
    if (!(rest instanceof Pair)) throw raiseFailure("OutOfRange", `${who}: the list is too short:`, value, count);
    items.push(rest.car);
  }
  return items;
}

function lastPair(value: Value, who: string): Pair {
  let rest = asPair(value, who);
  while (rest.cdr instanceof Pair) rest = rest.cdr;
  return rest;
}

/** Those that compare with a procedure of the program are written in Scheme. */
function addSearches(r: Registry): void {
  const search = (name: string, same: Same) =>
    r.fn(name, 2, (x: Value, items: Value) => {
      for (let rest = items; rest instanceof Pair; rest = rest.cdr) if (same(x, rest.car)) return rest;
      return false;
    });
  const associate = (name: string, same: Same) =>
    r.fn(name, 2, (key: Value, items: Value) => {
      for (let rest = items; rest instanceof Pair; rest = rest.cdr) {
        if (same(key, asPair(rest.car, name).car)) return rest.car;
      }
      return false;
    });
  search("memq", isEqv);
  search("memv", isEqv);
  search("%member", isEqual);
  associate("assq", isEqv);
  associate("assv", isEqv);
  associate("%assoc", isEqual);
}

let generated = 0;

function addSymbols(r: Registry): void {
  r.fn("symbol?", 1, (x: Value) => x instanceof Sym);
  r.fn("symbol->string", 1, (x: Value) => new Text(asSymbol(x, "symbol->string").name));
  r.fn("string->symbol", 1, (x: Value) => internSymbol(asText(x, "string->symbol").toString()));
  r.rest("symbol-append", 0, (args) => internSymbol(args.map((arg) => asSymbol(arg, "symbol-append").name).join("")));
  r.fn("generate-symbol", [0, 1], () => new Sym(`g${++generated}`));
  r.alias("gensym", "generate-symbol");
  r.rest("symbol=?", 1, (args) => args.every((arg) => asSymbol(arg, "symbol=?") === args[0]));
  r.fn("boolean?", 1, (x: Value) => typeof x === "boolean");
  r.rest("boolean=?", 1, (args) => {
    for (const arg of args) if (typeof arg !== "boolean") throw wrongType("boolean=?", "a boolean", arg);
    return args.every((arg) => arg === args[0]);
  });
  r.fn("not", 1, (x: Value) => x === false);
  r.fn("default-object?", 1, (x: Value) => x === undefined);
}

export function addPairsAndLists(r: Registry): void {
  for (const add of [addPairs, addLists, addSearches, addSymbols]) add(r);
}
