/** Text as data. */

import { type SchemeError, Source } from "../vm/errors.ts";
import { parseNumber } from "../numbers/numerals.ts";
import { Scanner } from "./scanner.ts";
import { EOF, internSymbol, makeList, NIL, Pair, Text, type Value } from "../vm/values.ts";

const MAX_DEPTH = 1000;
const QUOTES: Record<string, string> = { "'": "quote", "`": "quasiquote", ",": "unquote", ",@": "unquote-splicing" };
const CLOSE = {};
const DOT = {};

/** A placeholder for a datum whose label was used before its end. */
class Placeholder {
  value: Value = this;
}

export class Reader extends Scanner {
  #depth = 0;
  /** Where the lists that are being read begin. */
  readonly #open: number[] = [];
  #labels = new Map<string, Placeholder>();

  /** The next datum; EOF if there is none. */
  read(): Value {
    this.#labels = new Map();
    this.#open.length = 0;
    this.#depth = 0;
    const value = this.#datum();
    if (value === CLOSE) throw this.error("there is nothing that this parenthesis closes", this.at - 1);
    if (value === DOT) throw this.error("a dot outside of a list", this.at - 1);
    return this.#labels.size > 0 ? patch(value) : value;
  }

  /** All data, with the places where each of them begins. */
  readAll(): { value: Value; offset: number }[] {
    const all: { value: Value; offset: number }[] = [];
    for (;;) {
      this.skip();
      const offset = this.at;
      const value = this.read();
      if (value === EOF) return all;
      all.push({ value, offset });
    }
  }

  #datum(): Value {
    this.skip();
    const { text } = this.source;
    if (this.at >= text.length) return EOF;
    const start = this.at;
    const c = text[start];
    if (c === "(" || c === "[") return this.#nested(() => this.#list(c === "(" ? ")" : "]", start, start + 1));
    if (c === ")" || c === "]") return this.at++, CLOSE;
    if (c === '"') return new Text(this.quoted('"', ++this.at));
    if (c === "|") return internSymbol(this.symbolFrom(start));
    if (c in QUOTES) return this.#nested(() => this.#abbreviation(c, start));
    if (c === "#") return this.#hash(start);
    return this.#atom(start);
  }

  #nested(read: () => Value): Value {
    if (++this.#depth > MAX_DEPTH) throw this.error(`nested more than ${MAX_DEPTH} levels deep`, this.at);
    const value = read();
    this.#depth--;
    return value;
  }

  #required(what: string, start: number): Value {
    const value = this.#datum();
    if (value === EOF) throw this.unfinished(what, start);
    if (value === CLOSE || value === DOT) throw this.error(`${what} expects a datum`, start);
    return value;
  }

  #abbreviation(c: string, start: number): Value {
    const mark = c === "," && this.source.text[start + 1] === "@" ? ",@" : c;
    this.at = start + mark.length;
    const form = makeList(internSymbol(QUOTES[mark]), this.#required(`"${mark}"`, start));
    this.source.marks.set(form as Pair, start);
    return form;
  }

  #list(close: string, start: number, inside: number): Value {
    this.at = inside;
    this.#open.push(start);
    const head = new Pair(null, NIL);
    let last = head;
    for (;;) {
      this.skip();
      const at = this.at;
      const value = this.#datum();
      if (value === EOF) throw this.#unclosed();
      if (value === CLOSE) {
        if (this.source.text[at] !== close) throw this.error(`"${close}" expected here`, at);
        break;
      }
      if (value === DOT) {
        if (last === head) throw this.error("a dot at the begin of a list", at);
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
    this.skip();
    const at = this.at;
    const value = this.#datum();
    if (value === EOF) throw this.#unclosed();
    if (value !== CLOSE) throw this.error("more than one datum after a dot", at);
  }

  #hash(start: number): Value {
    const { text } = this.source;
    const next = text[start + 1];
    if (next === "(") return this.#nested(() => this.#vector(start, start + 2));
    if (next === "\\") return this.char(start);
    if (text.startsWith("#u8(", start)) return this.#nested(() => this.#bytes(start));
    const label = /#(\d{1,9})([=#])/y;
    label.lastIndex = start;
    const found = label.exec(text);
    if (found) return this.#label(found[1], found[2], start + found[0].length);
    return this.#hashToken(start);
  }

  #hashToken(start: number): Value {
    const token = this.token(start);
    if (token === "#t" || token === "#true") return true;
    if (token === "#f" || token === "#false") return false;
    const number = parseNumber(token);
    if (number === null) throw this.error(`unknown syntax ${token}`, start);
    return number;
  }

  #label(name: string, kind: string, at: number): Value {
    this.at = at;
    if (kind === "#") {
      const place = this.#labels.get(name);
      if (!place) throw this.error(`no datum has the label #${name}#`, at - name.length - 2);
      return place.value;
    }
    const place = new Placeholder();
    this.#labels.set(name, place);
    place.value = this.#required(`#${name}=`, at);
    return place.value;
  }

  #vector(start: number, at: number): Value {
    const items: Value[] = [];
    let rest = this.#list(")", start, at);
    for (; rest instanceof Pair; rest = rest.cdr) items.push(rest.car);
    if (rest !== NIL) throw this.error("a dot in a vector", start);
    return items;
  }

  #bytes(start: number): Value {
    const items = this.#vector(start, start + 4) as Value[];
    if (!items.every((item) => typeof item === "number" && item >= 0 && item < 256)) {
      throw this.error("a bytevector holds integers from 0 to 255", start);
    }
    return Uint8Array.from(items as number[]);
  }

  #atom(start: number): Value {
    if (/[^\s()";'`,]*\|/y.test(this.source.text.slice(start, start + 200))) {
      return internSymbol(this.symbolFrom(start));
    }
    const token = this.token(start);
    if (token === ".") return DOT;
    if (token === "") throw this.error(`unexpected character ${this.source.text[start]}`, start);
    return parseAtom(token) ?? internSymbol(this.fold ? token.toLowerCase() : token);
  }

  protected override ignored(start: number): void {
    this.#required("a datum comment", start);
  }

  #unclosed(): SchemeError {
    const start = this.#open[this.#open.length - 1];
    const { line, column } = this.source.place(start);
    const count = this.#open.length;
    const error = this.error(
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
