/** Text as data. */

import { SchemeError, Source } from "./errors.ts";
import { parseNumber } from "./numerals.ts";
import { CHAR_NAMES } from "./printer.ts";
import { Char, EOF, intern, list, NIL, Pair, Text, type Value } from "./values.ts";

const DELIMITER = /[\s()";'`,]/;
const TOKEN = /[^\s()";'`,]*/y;
const MAX_DEPTH = 1000;
const QUOTES: Record<string, string> = { "'": "quote", "`": "quasiquote", ",": "unquote", ",@": "unquote-splicing" };
const CLOSE = {};
const DOT = {};

/** Stands for a datum whose label was met before its end. */
class Placeholder {
  value: Value = this;
}

export class Reader {
  #at = 0;
  #fold = false;
  #depth = 0;
  /** Where the lists that are being read begin. */
  readonly #open: number[] = [];
  #labels = new Map<string, Placeholder>();

  constructor(readonly source: Source) {}

  get offset(): number {
    return this.#at;
  }

  /** The next datum; EOF when there is none. */
  read(): Value {
    this.#labels = new Map();
    this.#open.length = 0;
    this.#depth = 0;
    const value = this.#datum();
    if (value === CLOSE) throw this.#error("there is nothing that this parenthesis closes", this.#at - 1);
    if (value === DOT) throw this.#error("a dot outside of a list", this.#at - 1);
    return this.#labels.size > 0 ? patch(value) : value;
  }

  /** All data, with the places where each of them begins. */
  readAll(): { value: Value; offset: number }[] {
    const all: { value: Value; offset: number }[] = [];
    for (;;) {
      this.#skip();
      const offset = this.#at;
      const value = this.read();
      if (value === EOF) return all;
      all.push({ value, offset });
    }
  }

  #datum(): Value {
    this.#skip();
    const { text } = this.source;
    if (this.#at >= text.length) return EOF;
    const start = this.#at;
    const c = text[start];
    if (c === "(" || c === "[") return this.#nested(() => this.#list(++this.#at, c === "(" ? ")" : "]", start));
    if (c === ")" || c === "]") return this.#at++, CLOSE;
    if (c === '"') return new Text(this.#quoted('"', ++this.#at));
    if (c === "|") return intern(this.#symbolFrom(start));
    if (c in QUOTES) return this.#nested(() => this.#abbreviation(c, start));
    if (c === "#") return this.#hash(start);
    return this.#atom(start);
  }

  #nested(read: () => Value): Value {
    if (++this.#depth > MAX_DEPTH) throw this.#error(`nested more than ${MAX_DEPTH} levels deep`, this.#at);
    const value = read();
    this.#depth--;
    return value;
  }

  #required(what: string, start: number): Value {
    const value = this.#datum();
    if (value === EOF) throw this.#unfinished(what, start);
    if (value === CLOSE || value === DOT) throw this.#error(`${what} expects a datum`, start);
    return value;
  }

  #abbreviation(c: string, start: number): Value {
    const mark = c === "," && this.source.text[start + 1] === "@" ? ",@" : c;
    this.#at = start + mark.length;
    const form = list(intern(QUOTES[mark]), this.#required(`"${mark}"`, start));
    this.source.marks.set(form as Pair, start);
    return form;
  }

  #list(_: number, close: string, start: number): Value {
    this.#open.push(start);
    const head = new Pair(null, NIL);
    let last = head;
    for (;;) {
      this.#skip();
      const at = this.#at;
      const value = this.#datum();
      if (value === EOF) throw this.#unclosed();
      if (value === CLOSE) {
        if (this.source.text[at] !== close) throw this.#error(`"${close}" expected here`, at);
        break;
      }
      if (value === DOT) {
        if (last === head) throw this.#error("a dot at the begin of a list", at);
        last.cdr = this.#required("a dot", at);
        this.#closeAfterDot();
        break;
      }
      const pair = new Pair(value, NIL);
      this.source.marks.set(pair, last === head ? start : at);
      last.cdr = pair;
      last = pair;
    }
    this.#open.pop();
    return head.cdr;
  }

  #closeAfterDot(): void {
    this.#skip();
    const at = this.#at;
    const value = this.#datum();
    if (value === EOF) throw this.#unclosed();
    if (value !== CLOSE) throw this.#error("more than one datum after a dot", at);
  }

  #hash(start: number): Value {
    const { text } = this.source;
    const next = text[start + 1];
    if (next === "(") return this.#nested(() => this.#vector(start, start + 2));
    if (next === "\\") return this.#char(start);
    if (text.startsWith("#u8(", start)) return this.#nested(() => this.#bytes(start));
    const label = /#(\d{1,9})([=#])/y;
    label.lastIndex = start;
    const found = label.exec(text);
    if (found) return this.#label(found[1], found[2], start + found[0].length);
    return this.#hashToken(start);
  }

  #hashToken(start: number): Value {
    const token = this.#token(start);
    if (token === "#t" || token === "#true") return true;
    if (token === "#f" || token === "#false") return false;
    const number = parseNumber(token);
    if (number === null) throw this.#error(`unknown syntax ${token}`, start);
    return number;
  }

  #label(name: string, kind: string, at: number): Value {
    this.#at = at;
    if (kind === "#") {
      const place = this.#labels.get(name);
      if (!place) throw this.#error(`no datum has the label #${name}#`, at - name.length - 2);
      return place.value;
    }
    const place = new Placeholder();
    this.#labels.set(name, place);
    place.value = this.#required(`#${name}=`, at);
    return place.value;
  }

  #vector(start: number, at: number): Value {
    this.#at = at;
    const items: Value[] = [];
    let rest = this.#list(at, ")", start);
    for (; rest instanceof Pair; rest = rest.cdr) items.push(rest.car);
    if (rest !== NIL) throw this.#error("a dot in a vector", start);
    return items;
  }

  #bytes(start: number): Value {
    const items = this.#vector(start, start + 4) as Value[];
    if (!items.every((item) => typeof item === "number" && item >= 0 && item < 256)) {
      throw this.#error("a bytevector holds integers from 0 to 255", start);
    }
    return Uint8Array.from(items as number[]);
  }

  #char(start: number): Value {
    const { text } = this.source;
    const first = text.codePointAt(start + 2);
    if (first === undefined) throw this.#unfinished("a character", start);
    const one = String.fromCodePoint(first);
    this.#at = start + 2 + one.length;
    const name = one + (DELIMITER.test(one) ? "" : this.#token(this.#at));
    if (name === one) return Char.of(first);
    const code = /^x([0-9a-f]{1,6})$/i.exec(name);
    if (code && parseInt(code[1], 16) <= 0x10ffff) return Char.of(parseInt(code[1], 16));
    const known = this.#fold ? name.toLowerCase() : name;
    if (Object.hasOwn(CHAR_NAMES, known)) return Char.of(CHAR_NAMES[known]);
    throw this.#error(`unknown character name ${name}`, start);
  }

  #atom(start: number): Value {
    if (/[^\s()";'`,]*\|/y.test(this.source.text.slice(start, start + 200))) return intern(this.#symbolFrom(start));
    const token = this.#token(start);
    if (token === ".") return DOT;
    if (token === "") throw this.#error(`unexpected character ${this.source.text[start]}`, start);
    return parseAtom(token) ?? intern(this.#fold ? token.toLowerCase() : token);
  }

  #token(start: number): string {
    TOKEN.lastIndex = start;
    const token = (TOKEN.exec(this.source.text)?.[0] ?? "").replace(/[[\]].*$/s, "");
    this.#at = start + token.length;
    return token;
  }

  /** A symbol in which parts stand between bars. */
  #symbolFrom(start: number): string {
    const { text } = this.source;
    let name = "";
    this.#at = start;
    while (this.#at < text.length && !DELIMITER.test(text[this.#at])) {
      const c = text[this.#at++];
      if (c === "|") name += this.#quoted("|", this.#at);
      else name += this.#fold ? c.toLowerCase() : c;
    }
    return name;
  }

  #quoted(end: string, start: number): string {
    const { text } = this.source;
    const parts: string[] = [];
    let at = start;
    for (let from = at;; at++) {
      if (at >= text.length) throw this.#unfinished(end === '"' ? "a string" : "a symbol", start - 1);
      if (text[at] !== end && text[at] !== "\\") continue;
      parts.push(text.slice(from, at));
      if (text[at] === end) break;
      const [part, after] = this.#escape(at + 1);
      parts.push(part);
      from = after;
      at = after - 1;
    }
    this.#at = at + 1;
    return parts.join("");
  }

  /** What an escape stands for, and where it ends. */
  #escape(at: number): [string, number] {
    const { text } = this.source;
    const hex = /x([0-9a-fA-F]{1,6});/y;
    hex.lastIndex = at;
    const code = hex.exec(text);
    if (code && parseInt(code[1], 16) <= 0x10ffff) {
      return [String.fromCodePoint(parseInt(code[1], 16)), at + code[0].length];
    }
    const line = /[ \t]*(?:\r\n|\n)[ \t]*/y;
    line.lastIndex = at;
    const fold = line.exec(text);
    if (fold) return ["", at + fold[0].length];
    const plain: Record<string, string> = {
      a: "\x07",
      b: "\b",
      t: "\t",
      n: "\n",
      r: "\r",
      '"': '"',
      "\\": "\\",
      "|": "|",
    };
    if (at < text.length && !Object.hasOwn(plain, text[at])) throw this.#error(`unknown escape \\${text[at]}`, at - 1);
    return [plain[text[at]] ?? "", at + 1];
  }

  #skip(): void {
    const { text } = this.source;
    for (;;) {
      const c = text[this.#at];
      if (c === " " || c === "\n" || c === "\t" || c === "\r" || c !== undefined && /\s/.test(c)) this.#at++;
      else if (c === ";") this.#line();
      else if (c !== "#" || !this.#skipHash(text[this.#at + 1])) return;
    }
  }

  #line(): void {
    const end = this.source.text.indexOf("\n", this.#at);
    this.#at = end < 0 ? this.source.text.length : end + 1;
  }

  #skipHash(next: string): boolean {
    const start = this.#at;
    if (next === "|") this.#block(start);
    else if (next === ";") {
      this.#at += 2;
      this.#required("a datum comment", start);
    } else if (next === "!") this.#directive(start);
    else return false;
    return true;
  }

  #directive(start: number): void {
    if (start === 0 && /[ /]/.test(this.source.text[2] ?? "")) return this.#line();
    const name = this.#token(start);
    if (name === "#!fold-case") this.#fold = true;
    else if (name === "#!no-fold-case") this.#fold = false;
    else throw this.#error(`unknown directive ${name}`, start);
  }

  #block(start: number): void {
    const mark = /#\||\|#/g;
    mark.lastIndex = start + 2;
    for (let depth = 1; depth > 0;) {
      const found = mark.exec(this.source.text);
      if (!found) throw this.#unfinished("a block comment", start);
      depth += found[0] === "#|" ? 1 : -1;
    }
    this.#at = mark.lastIndex;
  }

  #error(message: string, at: number): SchemeError {
    return new SchemeError("ReadError", message).at(this.source, at);
  }

  #unfinished(what: string, start: number): SchemeError {
    const error = this.#error(`${what} does not end`, start);
    error.incomplete = true;
    return error;
  }

  #unclosed(): SchemeError {
    const start = this.#open[this.#open.length - 1];
    const { line, column } = this.source.place(start);
    const count = this.#open.length;
    const error = this.#error(
      "unexpected end of the text: a closing parenthesis is missing",
      this.source.text.trimEnd().length,
    );
    error.incomplete = true;
    const more = count > 1
      ? ` (${count} lists are open, the outermost since line ${this.source.place(this.#open[0]).line})`
      : "";
    error.hint = `the parenthesis opened in line ${line}, column ${column} is never closed${more}`;
    return error;
  }
}

function parseAtom(token: string): Value | null {
  return /^[+-]?\.?[0-9]|^[+-](inf|nan)/i.test(token) ? parseNumber(token) : null;
}

/** Puts the data in the place of their labels. */
function patch(value: Value): Value {
  const seen = new Set<object>();
  const todo: Value[] = [value];
  const real = (part: Value) => part instanceof Placeholder ? part.value : part;
  while (todo.length > 0) {
    const next = todo.pop();
    if (!(next instanceof Pair || Array.isArray(next)) || seen.has(next)) continue;
    seen.add(next);
    if (next instanceof Pair) {
      next.car = real(next.car);
      next.cdr = real(next.cdr);
      todo.push(next.cdr, next.car);
    } else {
      next.forEach((item, i) => next[i] = real(item));
      todo.push(...next);
    }
  }
  return value;
}

export function readText(text: string, name = "<text>"): Value {
  return new Reader(new Source(name, text)).read();
}
