/** Splits a program's text into tokens, and finds what is skipped. */

import { SchemeError, type Source } from "../vm/errors.ts";
import { CHAR_NAMES } from "./printer.ts";
import { Char, type Value } from "../vm/values.ts";

const DELIMITER = /[\s()";'`,]/;
const TOKEN = /[^\s()";'`,]*/y;

export abstract class Scanner {
  protected at = 0;
  protected fold = false;

  constructor(readonly source: Source) {}

  get offset(): number {
    return this.at;
  }

  /** Reads the datum that a comment takes away. */
  protected abstract ignored(start: number): void;

  protected char(start: number): Value {
    const { text } = this.source;
    const first = text.codePointAt(start + 2);
    if (first === undefined) throw this.unfinished("a character", start);
    const one = String.fromCodePoint(first);
    this.at = start + 2 + one.length;
    const name = one + (DELIMITER.test(one) ? "" : this.token(this.at));
    if (name === one) return Char.of(first);
    const code = /^x([0-9a-f]{1,6})$/i.exec(name);
    if (code && parseInt(code[1], 16) <= 0x10ffff) return Char.of(parseInt(code[1], 16));
    const known = this.fold ? name.toLowerCase() : name;
    if (Object.hasOwn(CHAR_NAMES, known)) return Char.of(CHAR_NAMES[known]);
    throw this.error(`unknown character name ${name}`, start);
  }

  protected token(start: number): string {
    TOKEN.lastIndex = start;
    const token = (TOKEN.exec(this.source.text)?.[0] ?? "").replace(/[[\]].*$/s, "");
    this.at = start + token.length;
    return token;
  }

  /** A symbol with parts between bars. */
  protected symbolFrom(start: number): string {
    const { text } = this.source;
    let name = "";
    this.at = start;
    while (this.at < text.length && !DELIMITER.test(text[this.at])) {
      const c = text[this.at++];
      if (c === "|") name += this.quoted("|", this.at);
      else name += this.fold ? c.toLowerCase() : c;
    }
    return name;
  }

  protected quoted(end: string, start: number): string {
    const { text } = this.source;
    const parts: string[] = [];
    let at = start;
    for (let from = at;; at++) {
      if (at >= text.length) throw this.unfinished(end === '"' ? "a string" : "a symbol", start - 1);
      if (text[at] !== end && text[at] !== "\\") continue;
      parts.push(text.slice(from, at));
      if (text[at] === end) break;
      const [part, after] = this.#escape(at + 1);
      parts.push(part);
      from = after;
      at = after - 1;
    }
    this.at = at + 1;
    return parts.join("");
  }

  /** The character of an escape, and where it ends. */
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
    if (at < text.length && !Object.hasOwn(plain, text[at])) throw this.error(`unknown escape \\${text[at]}`, at - 1);
    return [plain[text[at]] ?? "", at + 1];
  }

  protected skip(): void {
    const { text } = this.source;
    for (;;) {
      const c = text[this.at];
      if (c === " " || c === "\n" || c === "\t" || c === "\r" || c !== undefined && /\s/.test(c)) this.at++;
      else if (c === ";") this.#line();
      else if (c !== "#" || !this.#skipHash(text[this.at + 1])) return;
    }
  }

  #line(): void {
    const end = this.source.text.indexOf("\n", this.at);
    this.at = end < 0 ? this.source.text.length : end + 1;
  }

  #skipHash(next: string): boolean {
    const start = this.at;
    if (next === "|") this.#block(start);
    else if (next === ";") {
      this.at += 2;
      this.ignored(start);
    } else if (next === "!") this.#directive(start);
    else return false;
    return true;
  }

  #directive(start: number): void {
    if (start === 0 && /[ /]/.test(this.source.text[2] ?? "")) return this.#line();
    const name = this.token(start);
    if (name === "#!fold-case") this.fold = true;
    else if (name === "#!no-fold-case") this.fold = false;
    else throw this.error(`unknown directive ${name}`, start);
  }

  #block(start: number): void {
    const mark = /#\||\|#/g;
    mark.lastIndex = start + 2;
    for (let depth = 1; depth > 0;) {
      const found = mark.exec(this.source.text);
      if (!found) throw this.unfinished("a block comment", start);
      depth += found[0] === "#|" ? 1 : -1;
    }
    this.at = mark.lastIndex;
  }

  protected error(message: string, at: number): SchemeError {
    return new SchemeError("ReadError", message).at(this.source, at);
  }

  protected unfinished(what: string, start: number): SchemeError {
    const error = this.error(`${what} does not end`, start);
    error.incomplete = true;
    return error;
  }
}
