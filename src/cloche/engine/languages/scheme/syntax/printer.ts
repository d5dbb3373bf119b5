/** Values as text. */

import { Condition } from "../vm/errors.ts";
import { chargeWords } from "../vm/work_meter.ts";
import { formatNumber, parseNumber } from "../numbers/numerals.ts";
import { isNum } from "../numbers/numbers.ts";
import { Continuation, isProcedure, nameOf, Parameter } from "../vm/procedures.ts";
import {
  Char,
  Delayed,
  Eof,
  Instance,
  isCyclic,
  Nil,
  Pair,
  RecordType,
  Sym,
  Text,
  type Value,
  Values,
} from "../vm/values.ts";

export const CHAR_NAMES: Record<string, number> = {
  alarm: 7,
  backspace: 8,
  delete: 127,
  escape: 27,
  newline: 10,
  null: 0,
  return: 13,
  space: 32,
  tab: 9,
};
const NAMED = new Map(Object.entries(CHAR_NAMES).map(([name, code]) => [code, name]));
const ESCAPES: Record<string, string> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\r": "\\r",
  '"': '\\"',
  "\\": "\\\\",
};
const QUOTES: Record<string, string> = { quote: "'", quasiquote: "`", unquote: ",", "unquote-splicing": ",@" };
const SMALL = 500;
const WRITING = 64;

type Labels = "cycles" | "shared" | "none";

export function writeValue(value: Value, labels: Labels = "cycles"): string {
  return new Printer(true, labels).print(value);
}

/** The same for a reader: what comes after so many characters is left out, and not even made. */
export function showValue(value: Value, longest: number): string {
  return new Printer(true, "cycles", longest).print(value);
}

/** Ends a text that is long enough. */
class LongEnough extends Error {}

export function displayValue(value: Value): string {
  if (value instanceof Text) return value.toString();
  return new Printer(false, "cycles").print(value);
}

class Printer {
  readonly #out: string[] = [];
  #labels = new Map<object, number | null>();
  #count = 0;

  #size = 0;

  constructor(
    private readonly quotes: boolean,
    private readonly mode: Labels,
    private readonly longest = Infinity,
  ) {}

  print(value: Value): string {
    if (this.mode === "shared") this.#labels = findShared(value);
    else if (this.mode === "cycles" && !isSmall(value) && !isFlat(value)) this.#labels = findCycles(value);
    try {
      this.#value(value);
    } catch (error) {
      if (!(error instanceof LongEnough)) throw error;
    }
    return this.#out.join("");
  }

  #add(text: string): void {
    this.#out.push(text);
    this.#size += text.length;
    if (this.#size > this.longest) throw new LongEnough();
  }

  #value(value: Value): void {
    chargeWords(WRITING);
    if (!(value instanceof Pair || Array.isArray(value))) return void this.#add(this.#atom(value));
    if (this.#label(value)) return;
    if (Array.isArray(value)) return this.#vector(value);
    const prefix = quoteOf(value);
    if (prefix && !this.#labels.has(value.cdr as object)) {
      this.#add(prefix);
      return this.#value((value.cdr as Pair).car);
    }
    this.#list(value);
  }

  /** Whether the value is written as a reference to an earlier one. */
  #label(value: object): boolean {
    const label = this.#labels.get(value);
    if (label === undefined) return false;
    if (label !== null) {
      this.#add(`#${label}#`);
      return true;
    }
    this.#labels.set(value, this.#count);
    this.#add(`#${this.#count++}=`);
    return false;
  }

  #vector(items: Value[]): void {
    this.#add("#(");
    items.forEach((item, i) => {
      if (i > 0) this.#add(" ");
      this.#value(item);
    });
    this.#add(")");
  }

  #list(pair: Pair): void {
    this.#add("(");
    this.#value(pair.car);
    let rest = pair.cdr;
    for (; rest instanceof Pair && !this.#labels.has(rest); rest = rest.cdr) {
      this.#add(" ");
      this.#value(rest.car);
    }
    if (!(rest instanceof Nil)) {
      this.#add(" . ");
      this.#value(rest);
    }
    this.#add(")");
  }

  #atom(value: Value): string {
    if (isNum(value)) return formatNumber(value);
    if (typeof value === "boolean") return value ? "#t" : "#f";
    if (value instanceof Nil) return "()";
    if (value instanceof Sym) return this.quotes ? writeSymbol(value.name) : value.name;
    if (value instanceof Text) return this.quotes ? writeText(value.toString()) : value.toString();
    if (value instanceof Char) return this.quotes ? writeChar(value) : value.toString();
    if (value instanceof Uint8Array) return `#u8(${value.join(" ")})`;
    return this.#opaque(value);
  }

  #opaque(value: Value): string {
    if (value === undefined) return "#<unspecified>";
    if (value instanceof Eof) return "#<eof>";
    if (value instanceof Instance) return this.#instance(value);
    if (value instanceof RecordType) return `#<record-type ${value.name}>`;
    if (value instanceof Condition) {
      return `#<error ${[value.message, ...value.irritants.map((i) => writeValue(i))].join(" ")}>`;
    }
    if (value instanceof Values) return value.list.map((each) => writeValue(each)).join(" ");
    if (value instanceof Delayed) return "#<promise>";
    if (value instanceof Continuation) return "#<continuation>";
    if (value instanceof Parameter) return "#<parameter>";
    if (isProcedure(value)) return `#<procedure${nameOf(value) === null ? "" : " " + nameOf(value)}>`;
    const kind = (value as { kind?: string } | null)?.kind;
    return `#<${typeof kind === "string" ? kind : "object"}>`;
  }

  #instance({ type, fields }: Instance): string {
    const seen = fields.map((field, i) =>
      ` ${type.fields[i]}: ${field instanceof Instance ? `#<${field.type.name}>` : writeValue(field)}`
    );
    return `#<${type.name}${seen.join("")}>`;
  }
}

function quoteOf(pair: Pair): string | null {
  const { car, cdr } = pair;
  if (!(car instanceof Sym && cdr instanceof Pair && cdr.cdr instanceof Nil)) return null;
  return Object.hasOwn(QUOTES, car.name) ? QUOTES[car.name] : null;
}

function writeText(text: string): string {
  // deno-lint-ignore no-control-regex
  return `"${text.replace(/["\\\x00-\x1f\x7f]/g, (c) => ESCAPES[c] ?? `\\x${c.charCodeAt(0).toString(16)};`)}"`;
}

function writeChar({ code }: Char): string {
  const name = NAMED.get(code);
  if (name) return `#\\${name}`;
  return code < 32 || code >= 0xd800 && code <= 0xdfff
    ? `#\\x${code.toString(16)}`
    : `#\\${String.fromCodePoint(code)}`;
}

function writeSymbol(name: string): string {
  // deno-lint-ignore no-control-regex
  const plain = /^[^\s()"';`,|#\x00-\x1f][^\s()"';`,|\x00-\x1f]*$/u.test(name);
  if (plain && name !== "." && parseNumber(name) === null) return name;
  // deno-lint-ignore no-control-regex
  return `|${name.replace(/[|\\\x00-\x1f]/g, escapeInSymbol)}|`;
}

function escapeInSymbol(c: string): string {
  return c === "|" ? "\\|" : ESCAPES[c] ?? `\\x${c.charCodeAt(0).toString(16)};`;
}

/** Whether it is a tree of few parts, in which there can be no cycle. */
function isSmall(value: Value): boolean {
  let left = SMALL;
  const todo = [value];
  while (todo.length > 0) {
    if (--left < 0) return false;
    const next = todo.pop();
    if (next instanceof Pair) todo.push(next.cdr, next.car);
    else if (Array.isArray(next)) {
      if (next.length > left) return false;
      todo.push(...next);
    }
  }
  return true;
}

/** Whether it is a list of what has no parts. */
function isFlat(value: Value): boolean {
  if (isCyclic(value)) return false;
  for (; value instanceof Pair; value = value.cdr) {
    if (value.car instanceof Pair || Array.isArray(value.car)) return false;
  }
  return !Array.isArray(value);
}

function findShared(value: Value): Map<object, null> {
  const [seen, shared, todo] = [new Set<object>(), new Map<object, null>(), [value]];
  while (todo.length > 0) {
    const next = todo.pop();
    if (!(next instanceof Pair || Array.isArray(next))) continue;
    if (seen.has(next)) {
      shared.set(next, null);
      continue;
    }
    seen.add(next);
    if (next instanceof Pair) todo.push(next.cdr, next.car);
    else for (const item of next) todo.push(item);
  }
  return shared;
}

/** What can be reached from itself, by a search that keeps its own stack: a list may be long and deep. */
function findCycles(value: Value): Map<object, null> {
  const [path, done, cyclic] = [new Set<object>(), new Set<object>(), new Map<object, null>()];
  const todo: { value: Value; leaves: boolean }[] = [{ value, leaves: false }];
  for (let step = todo.pop(); step; step = todo.pop()) {
    const { value: next, leaves } = step;
    chargeWords(WRITING);
    if (!(next instanceof Pair || Array.isArray(next))) continue;
    if (leaves) {
      path.delete(next);
      done.add(next);
    } else if (path.has(next)) cyclic.set(next, null);
    else if (!done.has(next)) {
      path.add(next);
      todo.push({ value: next, leaves: true });
      const parts = next instanceof Pair ? [next.cdr, next.car] : next;
      for (const part of parts) todo.push({ value: part, leaves: false });
    }
  }
  return cyclic;
}
