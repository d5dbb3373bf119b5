/** The tokens of arithmetic. */
import { ExpansionError } from "../interpreter.ts";
import type { Int } from "./number.ts";
import { parseNumber } from "./constants.ts";

/** An expression that cannot be read or computed. */
export class ArithmeticError extends ExpansionError {
  #blamed = false;
  /** Whether it is in a subscript: that gives up the line, whatever computes. */
  inSubscript = false;

  constructor(expression: string, reason: string, token: string) {
    super(`${expression.trimStart()}: ${reason} (error token is "${token}")`, false);
  }

  /** Names who computes before the message; "" is nobody. Only the first counts. */
  blame(name: string): void {
    if (this.#blamed) return;
    if (name === "") this.inSubscript = true;
    else this.message = `${name}: ${this.message}`;
    this.#blamed = true;
  }
}

/** Names who has computed in the message of an error, if that is one of arithmetic. */
export function blame(error: unknown, name: string): unknown {
  if (error instanceof ArithmeticError) error.blame(name);
  return error;
}

export interface Token {
  kind: "number" | "name" | "operator" | "end";
  /** The operator, the name, or "". `x++` is an operator "post++". */
  text: string;
  /** Of a name: what is between the brackets. */
  subscript?: string;
  value?: Int;
  at: number;
}

const SPACE = /[ \t\n\r]*/y;
const NAME = /[A-Za-z_]\w*/y;
const NUMBER = /\d[\w#@]*/y;
const OPERATOR = /<<=|>>=|\*\*|&&|\|\||<<|>>|<=|>=|==|!=|[-*/%+&^|]=|[-=<>+*/%!()&|^~?:,]/y;
const BEFORE_NAME = /[ \t\n\r]*[A-Za-z_]/y;

/** Reads tokens one by one; it knows the one before, since `++` depends on that. */
export class Tokens {
  at = 0;
  current: Token = { kind: "end", text: "", at: 0 };
  /** Where the last token began that is not the end: errors show the text from there. */
  #start = 0;

  constructor(readonly text: string) {}

  fail(reason: string, from = this.#start): never {
    throw new ArithmeticError(this.text, reason, this.text.slice(from));
  }

  /** Whether the current token is this operator. */
  is(operator: string): boolean {
    return this.current.kind === "operator" && this.current.text === operator;
  }

  get ended(): boolean {
    return this.current.kind === "end";
  }

  next(): void {
    const { text } = this;
    SPACE.lastIndex = this.at;
    SPACE.exec(text);
    const at = this.at = SPACE.lastIndex;
    if (at >= text.length) {
      this.current = { kind: "end", text: "", at };
      return;
    }
    this.#start = at;
    this.current = this.#name(at) ?? this.#number(at) ?? this.#operator(at);
  }

  #name(at: number): Token | undefined {
    NAME.lastIndex = at;
    const match = NAME.exec(this.text);
    if (!match) return undefined;
    this.at = NAME.lastIndex;
    const token: Token = { kind: "name", text: match[0], at };
    if (this.text[this.at] !== "[") return token;
    const end = endOfSubscript(this.text, this.at + 1);
    if (end < 0) this.fail("bad array subscript");
    token.subscript = this.text.slice(this.at + 1, end);
    this.at = end + 1;
    return token;
  }

  #number(at: number): Token | undefined {
    NUMBER.lastIndex = at;
    const match = NUMBER.exec(this.text);
    if (!match) return undefined;
    this.at = NUMBER.lastIndex;
    const value = parseNumber(match[0]);
    // Bash cuts the text after the number before it complains.
    if (typeof value === "string") throw new ArithmeticError(this.text.slice(0, this.at), value, match[0]);
    return { kind: "number", text: match[0], value, at };
  }

  #operator(at: number): Token {
    const { text } = this;
    const char = text[at];
    if ((char === "+" || char === "-") && text[at + 1] === char) {
      if (this.current.kind === "name") return this.#take(`post${char}${char}`, at, 2);
      BEFORE_NAME.lastIndex = at + 2;
      return BEFORE_NAME.test(text) ? this.#take(`${char}${char}`, at, 2) : this.#take(char, at, 1);
    }
    OPERATOR.lastIndex = at;
    const match = OPERATOR.exec(text);
    if (match) return this.#take(match[0], at, match[0].length);
    const { kind, text: before } = this.current;
    const operand = kind === "number" || kind === "name" || kind === "operator" && before.startsWith("post");
    return this.fail(operand ? "syntax error: invalid arithmetic operator" : "syntax error: operand expected");
  }

  #take(text: string, at: number, length: number): Token {
    this.at = at + length;
    return { kind: "operator", text, at };
  }
}

function endOfQuote(text: string, start: number): number {
  const quote = text[start];
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === quote) return at;
    if (text[at] === "\\" && quote === '"') at++;
  }
  return -1;
}

/** Where the bracket closes; -1 if it does not. */
function endOfSubscript(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (char === "\\") at++;
    else if (char === '"' || char === "'") {
      const end = endOfQuote(text, at);
      if (end > 0) at = end;
    } else if (char === "[") depth++;
    else if (char === "]" && depth-- === 0) return at;
  }
  return -1;
}
