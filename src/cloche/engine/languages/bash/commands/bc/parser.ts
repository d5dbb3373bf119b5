/** bc's language as a tree. */
import { CommandError } from "../command.ts";

export type Expr =
  | { kind: "number"; text: string }
  | { kind: "string"; text: string }
  | { kind: "name"; name: string }
  | { kind: "element"; name: string; index: Expr }
  | { kind: "call"; name: string; args: Expr[] }
  | { kind: "unary"; op: string; of: Expr }
  | { kind: "binary"; op: string; left: Expr; right: Expr }
  | { kind: "assign"; op: string; to: Expr; value: Expr }
  | { kind: "step"; op: string; to: Expr; before: boolean };

export type Stmt =
  | { kind: "expr"; value: Expr; shown: boolean }
  | { kind: "print"; values: Expr[] }
  | { kind: "if"; test: Expr; then: Stmt; otherwise: Stmt | undefined }
  | { kind: "while"; test: Expr; body: Stmt }
  | { kind: "for"; first?: Expr; test?: Expr; step?: Expr; body: Stmt }
  | { kind: "block"; body: Stmt[] }
  | { kind: "define"; name: string; params: string[]; autos: string[]; body: Stmt }
  | { kind: "return"; value: Expr | undefined }
  | { kind: "break" | "continue" | "quit" };

const TOKEN =
  /\s*(?:(\n|;)|((?:\d|[A-F])[\dA-F]*\.?[\dA-F]*|\.[\dA-F]+)|([a-z][a-z0-9_]*)|"((?:[^"\\]|\\.)*)"|(\+\+|--|[-+*\/%^]=|==|<=|>=|!=|&&|\|\||[-+*\/%^=<>!(){}[\],.]))/y;

interface Token {
  kind: "end" | "number" | "word" | "string" | "mark" | "eof";
  text: string;
}

function tokens(source: string): Token[] {
  const text = source.replace(/\/\*[\s\S]*?\*\//g, " ").replace(/#[^\n]*/g, "").replace(/\\\n/g, "").replace(/\r/g, "");
  const found: Token[] = [];
  const spaced = text.replace(/[ \t]+$/gm, "");
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < spaced.length) {
    const start = TOKEN.lastIndex;
    // Line ends are tokens, so blanks are skipped by hand.
    const blank = spaced.slice(start).match(/^[ \t]+/)?.[0].length ?? 0;
    TOKEN.lastIndex = start + blank;
    if (TOKEN.lastIndex >= spaced.length) break;
    if (spaced[TOKEN.lastIndex] === "\n") {
      found.push({ kind: "end", text: "\n" });
      TOKEN.lastIndex++;
      continue;
    }
    const match = TOKEN.exec(spaced);
    if (!match) throw new CommandError(`(standard_in): illegal character: ${spaced[start + blank]}`);
    const [, end, number, word, string, mark] = match;
    if (end !== undefined) found.push({ kind: "end", text: end });
    else if (number !== undefined) found.push({ kind: "number", text: number });
    else if (word !== undefined) found.push({ kind: "word", text: word });
    else if (string !== undefined) found.push({ kind: "string", text: string });
    else found.push({ kind: "mark", text: mark });
  }
  return found;
}

const LEVELS = [["||"], ["&&"], ["==", "<=", ">=", "!=", "<", ">"], ["+", "-"], ["*", "/", "%"]];

/** Parses a program statement by statement, so that those before a mistake can run. */
export class Parser {
  readonly #tokens: Token[];
  #at = 0;

  constructor(source: string) {
    this.#tokens = tokens(source);
  }

  /** The next statement, or undefined at the end. */
  next(): Stmt | undefined {
    this.#skipEnds();
    if (this.#token.kind === "eof") return undefined;
    const statement = this.#statement();
    // After a closing brace the next statement may follow at once.
    if (!this.#ends() && this.#tokens[this.#at - 1]?.text !== "}") this.#fail();
    return statement;
  }

  /** Leaves the rest of a line that makes no sense. */
  recover(): void {
    while (this.#token.text !== "\n" && this.#token.kind !== "eof") this.#at++;
  }

  #ends(): boolean {
    const { kind } = this.#token;
    return kind === "end" || kind === "eof";
  }

  get #token(): Token {
    return this.#tokens[this.#at] ?? { kind: "eof", text: "" };
  }

  #fail(): never {
    throw new CommandError("syntax error");
  }

  #is(text: string): boolean {
    return (this.#token.kind === "mark" || this.#token.kind === "word") && this.#token.text === text;
  }

  #take(text: string): boolean {
    if (!this.#is(text)) return false;
    this.#at++;
    return true;
  }

  #need(text: string): void {
    if (!this.#take(text)) this.#fail();
  }

  #skipEnds(): void {
    while (this.#token.kind === "end") this.#at++;
  }

  #skipLines(): void {
    while (this.#token.text === "\n") this.#at++;
  }

  #statement(): Stmt {
    this.#skipLines();
    const token = this.#token;
    if (this.#take("{")) return this.#block();
    if (token.kind !== "word") return this.#expressionStatement();
    switch (token.text) {
      case "if":
        return this.#if();
      case "while":
        return this.#while();
      case "for":
        return this.#for();
      case "define":
        return this.#define();
      case "print":
        this.#at++;
        return { kind: "print", values: this.#list(() => this.#expression()) };
      case "return": {
        this.#at++;
        const ends = this.#token.kind === "end" || this.#token.kind === "eof" || this.#is("}");
        return { kind: "return", value: ends ? undefined : this.#expression() };
      }
      case "break":
      case "continue":
        this.#at++;
        return { kind: token.text };
      case "quit":
      case "halt":
        this.#at++;
        return { kind: "quit" };
      default:
        return this.#expressionStatement();
    }
  }

  #expressionStatement(): Stmt {
    const value = this.#expression();
    return { kind: "expr", value, shown: value.kind !== "assign" };
  }

  #block(): Stmt {
    const body: Stmt[] = [];
    for (;;) {
      this.#skipEnds();
      if (this.#take("}")) return { kind: "block", body };
      if (this.#token.kind === "eof") this.#fail();
      body.push(this.#statement());
    }
  }

  #if(): Stmt {
    this.#at++;
    this.#need("(");
    const test = this.#expression();
    this.#need(")");
    const then = this.#statement();
    const back = this.#at;
    this.#skipEnds();
    if (this.#take("else")) return { kind: "if", test, then, otherwise: this.#statement() };
    this.#at = back;
    return { kind: "if", test, then, otherwise: undefined };
  }

  #while(): Stmt {
    this.#at++;
    this.#need("(");
    const test = this.#expression();
    this.#need(")");
    return { kind: "while", test, body: this.#statement() };
  }

  #for(): Stmt {
    this.#at++;
    this.#need("(");
    const first = this.#token.text === ";" ? undefined : this.#expression();
    this.#semicolon();
    const test = this.#token.text === ";" ? undefined : this.#expression();
    this.#semicolon();
    const step = this.#is(")") ? undefined : this.#expression();
    this.#need(")");
    return { kind: "for", first, test, step, body: this.#statement() };
  }

  #semicolon(): void {
    if (this.#token.text !== ";") this.#fail();
    this.#at++;
  }

  #define(): Stmt {
    this.#at++;
    const name = this.#word();
    this.#need("(");
    const params = this.#is(")") ? [] : this.#list(() => this.#parameter());
    this.#need(")");
    this.#skipLines();
    this.#need("{");
    this.#skipEnds();
    const autos = this.#take("auto") ? this.#list(() => this.#parameter()) : [];
    return { kind: "define", name, params, autos, body: this.#block() };
  }

  #parameter(): string {
    const name = this.#word();
    if (!this.#take("[")) return name;
    this.#need("]");
    return `${name}[]`;
  }

  #word(): string {
    const { kind, text } = this.#token;
    if (kind !== "word") this.#fail();
    this.#at++;
    return text;
  }

  #list<T>(item: () => T): T[] {
    const items = [item()];
    while (this.#take(",")) items.push(item());
    return items;
  }

  #expression(): Expr {
    const left = this.#level(0);
    const mark = this.#token;
    if (mark.kind !== "mark" || !/^[-+*\/%^]?=$/.test(mark.text)) return left;
    if (left.kind !== "name" && left.kind !== "element") this.#fail();
    this.#at++;
    return { kind: "assign", op: mark.text.slice(0, -1), to: left, value: this.#expression() };
  }

  #level(depth: number): Expr {
    if (depth === LEVELS.length) return this.#power();
    if (depth === 2 && this.#take("!")) return { kind: "unary", op: "!", of: this.#level(depth) };
    let left = this.#level(depth + 1);
    for (;;) {
      const op = LEVELS[depth].find((mark) => this.#token.kind === "mark" && this.#token.text === mark);
      if (op === undefined) return left;
      this.#at++;
      left = { kind: "binary", op, left, right: this.#level(depth + 1) };
    }
  }

  #power(): Expr {
    const left = this.#unary();
    if (!this.#take("^")) return left;
    return { kind: "binary", op: "^", left, right: this.#power() };
  }

  #unary(): Expr {
    if (this.#take("-")) return { kind: "unary", op: "-", of: this.#unary() };
    for (const op of ["++", "--"]) {
      if (this.#take(op)) return { kind: "step", op: op[0], to: this.#unary(), before: true };
    }
    const value = this.#primary();
    for (const op of ["++", "--"]) if (this.#take(op)) return { kind: "step", op: op[0], to: value, before: false };
    return value;
  }

  #primary(): Expr {
    const { kind, text } = this.#token;
    if (this.#take("(")) {
      const inner = this.#expression();
      this.#need(")");
      return { kind: "unary", op: "()", of: inner };
    }
    if (this.#take(".")) return { kind: "name", name: "last" };
    if (kind === "number" || kind === "string") {
      this.#at++;
      return { kind, text };
    }
    const name = this.#word();
    if (this.#take("(")) {
      const args = this.#is(")") ? [] : this.#list(() => this.#expression());
      this.#need(")");
      return { kind: "call", name, args };
    }
    if (!this.#take("[")) return { kind: "name", name };
    if (this.#take("]")) return { kind: "name", name: `${name}[]` };
    const index = this.#expression();
    this.#need("]");
    return { kind: "element", name, index };
  }
}
