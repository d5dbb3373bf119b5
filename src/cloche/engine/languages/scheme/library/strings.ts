/** Strings. */

import { raiseFailure } from "../vm/errors.ts";
import { chargeWords } from "../vm/work_meter.ts";
import { Char, itemsOf, listOf, Text, type Value } from "../vm/values.ts";
import { foldCase, ORDERS } from "./chars.ts";
import { asChar, asIndex, asRange, asSize, asText, MAX_LENGTH, type Registry } from "./registry.ts";

function joined(parts: string[]): Text {
  let total = 0;
  for (const part of parts) total += part.length;
  if (total > MAX_LENGTH * 2) throw raiseFailure("OutOfMemory", "a string would be too long");
  chargeWords(total >> 3);
  return new Text(parts.length === 2 ? parts[0] + parts[1] : parts.join(""));
}

function addBasics(r: Registry): void {
  r.fn("string?", 1, (x: Value) => x instanceof Text);
  r.fn("make-string", [1, 2], (n: Value, c: Value = Char.of(32)) => {
    return new Text(asChar(c, "make-string").toString().repeat(asSize(n, "make-string")));
  });
  r.rest("string", 0, (args) => new Text(args.map((arg) => asChar(arg, "string").toString()).join("")));
  r.fn("string-length", 1, (s: Value) => asText(s, "string-length").length);
  r.fn("string-ref", 2, (s: Value, k: Value) => {
    const string = asText(s, "string-ref");
    return Char.of(string.at(asIndex(k, string.length, "string-ref")));
  });
  r.fn("string-set!", 3, (s: Value, k: Value, c: Value) => {
    const string = asText(s, "string-set!");
    string.set(asIndex(k, string.length, "string-set!"), asChar(c, "string-set!").code);
  });
  const slice = (name: string) => (s: Value, start: Value, end: Value) => {
    const string = asText(s, name);
    const [from, to] = asRange(start, end, string.length, name);
    return new Text(string.slice(from, to));
  };
  r.fn("substring", [2, 3], slice("substring"));
  r.fn("string-copy", [1, 3], slice("string-copy"));
  r.rest("string-append", 0, (args) => joined(args.map((arg) => asText(arg, "string-append").toString())));
  r.fn("string-concatenate", 1, (x: Value) => joined(itemsOf(x, "string-concatenate").map(String)));
  r.fn("string-null?", 1, (s: Value) => asText(s, "string-null?").length === 0);
}

function addConversions(r: Registry): void {
  const points = (s: Value, start: Value, end: Value, who: string) => {
    const string = asText(s, who);
    return string.points().slice(...asRange(start, end, string.length, who)).map((code) => Char.of(code));
  };
  r.fn("string->list", [1, 3], (s: Value, start: Value, end: Value) => listOf(points(s, start, end, "string->list")));
  r.fn("string->vector", [1, 3], (s: Value, start: Value, end: Value) => points(s, start, end, "string->vector"));
  r.fn("list->string", 1, (x: Value) => {
    return Text.of(itemsOf(x, "list->string").map((item) => asChar(item, "list->string").code));
  });
  r.fn("string->utf8", [1, 3], (s: Value, start: Value, end: Value) => {
    const string = asText(s, "string->utf8");
    const [from, to] = asRange(start, end, string.length, "string->utf8");
    return new TextEncoder().encode(string.slice(from, to));
  });
  const mapped = (name: string, fn: (s: string) => string) =>
    r.fn(name, 1, (s: Value) => new Text(fn(asText(s, name).toString())));
  mapped("string-upcase", (s) => s.toUpperCase());
  mapped("string-downcase", (s) => s.toLowerCase());
  mapped("string-foldcase", foldCase);
}

function addChanges(r: Registry): void {
  r.fn("string-copy!", [3, 5], (to: Value, at: Value, from: Value, start: Value, end: Value) => {
    const [target, source] = [asText(to, "string-copy!"), asText(from, "string-copy!")];
    const codes = source.points().slice(...asRange(start, end, source.length, "string-copy!"));
    const position = asIndex(at, target.length - codes.length + 1, "string-copy!");
    const points = target.points();
    codes.forEach((code, i) => points[position + i] = code);
    target.changed();
  });
  r.fn("string-fill!", [2, 4], (s: Value, c: Value, start: Value, end: Value) => {
    const target = asText(s, "string-fill!");
    target.points().fill(asChar(c, "string-fill!").code, ...asRange(start, end, target.length, "string-fill!"));
    target.changed();
  });
}

function addComparisons(r: Registry): void {
  const compare = (name: string, holds: (order: number, zero: number) => boolean, fold: (s: string) => string) => {
    r.rest(name, 1, (args) => {
      const all = args.map((arg) => fold(asText(arg, name).toString()));
      return all.every((each, i) => i === 0 || holds(order(all[i - 1], each), 0));
    });
  };
  for (const [sign, holds] of Object.entries(ORDERS)) {
    compare(`string${sign}?`, holds, (s) => s);
    compare(`string-ci${sign}?`, holds, foldCase);
  }
}

/** By code points: JavaScript compares halves of surrogate pairs. */
function order(a: string, b: string): number {
  if (a === b) return 0;
  const end = Math.min(a.length, b.length);
  for (let i = 0; i < end; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x === y) continue;
    const [wideX, wideY] = [x >= 0xd800 && x <= 0xdfff, y >= 0xd800 && y <= 0xdfff];
    return wideX === wideY ? x - y : wideX ? 1 : -1;
  }
  return a.length - b.length;
}

/** Of SRFI 13 and 130: indexes count characters. */
function addSearches(r: Registry): void {
  const find = (name: string, last: boolean) =>
    r.fn(name, 2, (s: Value, part: Value) => {
      const string = asText(s, name).toString();
      const at = last ? string.lastIndexOf(String(asText(part, name))) : string.indexOf(String(asText(part, name)));
      return at < 0 ? false : [...string.slice(0, at)].length;
    });
  find("string-contains", false);
  find("string-contains-right", true);
  r.alias("string-search-forward", "string-contains");
  r.fn(
    "string-prefix?",
    2,
    (part: Value, s: Value) => String(asText(s, "string-prefix?")).startsWith(String(asText(part, "string-prefix?"))),
  );
  r.fn(
    "string-suffix?",
    2,
    (part: Value, s: Value) => String(asText(s, "string-suffix?")).endsWith(String(asText(part, "string-suffix?"))),
  );
  r.fn("string-join", [1, 3], (items: Value, by: Value = new Text(" "), how: Value = undefined) => {
    const parts = itemsOf(items, "string-join").map((item) => asText(item, "string-join").toString());
    const [mark, kind] = [
      asText(by, "string-join").toString(),
      how === undefined ? "infix" : (how as { name?: string }).name,
    ];
    if (kind === "suffix") return joined(parts.map((part) => part + mark));
    if (kind === "prefix") return joined(parts.map((part) => mark + part));
    return new Text(parts.join(mark));
  });
  r.fn("%string-split", 2, (s: Value, by: Value) => {
    const [string, mark] = [asText(s, "string-split").toString(), String(by)];
    return listOf((mark === "" ? [...string] : string.split(mark)).map((part) => new Text(part)));
  });
  r.fn("string-reverse", 1, (s: Value) => Text.of([...asText(s, "string-reverse").points()].reverse()));
  r.fn("string-replace-all", 3, (s: Value, from: Value, to: Value) => {
    const parts = asText(s, "string-replace-all").toString().split(String(asText(from, "string-replace-all")));
    return new Text(parts.join(String(asText(to, "string-replace-all"))));
  });
  const padded = (name: string, right: boolean) =>
    r.fn(name, [2, 3], (s: Value, n: Value, c: Value = Char.of(32)) => {
      const points = asText(s, name).points();
      const [length, fill] = [asSize(n, name), asChar(c, name).code];
      const missing = new Array(Math.max(0, length - points.length)).fill(fill);
      if (right) return Text.of([...points.slice(0, length), ...missing]);
      return Text.of([...missing, ...points.slice(Math.max(0, points.length - length))]);
    });
  padded("string-pad", false);
  padded("string-pad-left", false);
  padded("string-pad-right", true);
}

export function addStrings(r: Registry): void {
  for (const add of [addBasics, addConversions, addChanges, addComparisons, addSearches]) add(r);
}
