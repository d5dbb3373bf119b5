/** The tokens of a program with one to look at, for the parsers of expressions and statements. */
import type { AwkError } from "../errors.ts";
import { Lexer, type Token } from "./lexer.ts";

export class Tokens {
  #lexer: Lexer;
  /** The token to be taken next. */
  current: Token;
  /** The lexers of files that include the one that is read. */
  readonly #outer: { lexer: Lexer; current: Token }[] = [];
  readonly warnings: string[] = [];

  constructor(text: string, source: string) {
    this.#lexer = new Lexer(text, source);
    this.current = this.#lexer.next();
  }

  /** Takes the current token. */
  take(): Token {
    const token = this.current;
    this.current = this.#lexer.next();
    if (this.current.kind === "end" && this.#lexer.warnings.length > 0) {
      this.warnings.push(...this.#lexer.warnings.splice(0));
    }
    return token;
  }

  /** Whether the current token is this mark or word. */
  is(text: string): boolean {
    const { kind } = this.current;
    return this.current.text === text && (kind === "mark" || kind === "word" || kind === "newline");
  }

  /** Takes the current token if it is this mark or word. */
  accept(text: string): boolean {
    if (!this.is(text)) return false;
    this.take();
    return true;
  }

  expect(text: string): Token {
    if (!this.is(text)) throw this.error();
    return this.take();
  }

  skipNewlines(): void {
    while (this.current.kind === "newline") this.take();
  }

  /** Skips what may stand between statements. */
  skipTerminators(): void {
    while (this.current.kind === "newline" || this.is(";")) this.take();
  }

  /** Reads a regular expression that begins with the current token, a slash. */
  regex(): string {
    const source = this.#lexer.regex(this.current.start);
    this.current = this.#lexer.next();
    return source;
  }

  /** What `look` returns; the tokens that it takes stay there. */
  lookAhead<T>(look: () => T): T {
    const { position } = this.#lexer;
    const { current } = this;
    try {
      return look();
    } finally {
      this.#lexer.position = position;
      this.current = current;
    }
  }

  /** The text of a token that is wrong here, as an error of syntax. */
  error(message = "syntax error"): AwkError {
    return this.#lexer.error(message, this.current.start);
  }

  /** Reads another text before the rest. */
  enter(text: string, source: string): void {
    this.#outer.push({ lexer: this.#lexer, current: this.current });
    this.#lexer = new Lexer(text, source);
    this.current = this.#lexer.next();
  }

  /** Continues after an inner text has ended; false if there was none. */
  leave(): boolean {
    const outer = this.#outer.pop();
    if (!outer) return false;
    this.warnings.push(...this.#lexer.warnings.splice(0));
    this.#lexer = outer.lexer;
    this.current = outer.current;
    return true;
  }
}
