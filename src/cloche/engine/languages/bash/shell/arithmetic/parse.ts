/** Arithmetic expressions as trees. */
import { type Int, parseNumber } from "./number.ts";

export type Expression =
  | { type: "number"; value: Int }
  | { type: "name"; name: string; subscript?: string }
  | { type: "unary"; operator: "-" | "+" | "!" | "~"; operand: Expression }
  | { type: "step"; target: NameExpression; by: 1 | -1; before: boolean }
  | { type: "binary"; operator: string; left: Expression; right: Expression }
  | { type: "choice"; condition: Expression; yes: Expression; no: Expression }
  /** `operator` is empty for a plain assignment. */
  | { type: "assign"; target: NameExpression; operator: string; value: Expression };

export type NameExpression = Expression & { type: "name" };

/** A mistake in an expression, in bash's words. */
export class ArithmeticError extends Error {
  override readonly name = "ArithmeticError";
}

const PRECEDENCE: Record<string, number> = {
  ",": 1,
  "||": 4,
  "&&": 5,
  "|": 6,
  "^": 7,
  "&": 8,
  "==": 9,
  "!=": 9,
  "<": 10,
  ">": 10,
  "<=": 10,
  ">=": 10,
  "<<": 11,
  ">>": 11,
  "+": 12,
  "-": 12,
  "*": 13,
  "/": 13,
  "%": 13,
  "**": 14,
};

const TOKEN = /\s*(?:([A-Za-z_]\w*)|(\d[\w@#]*)|(<<=|>>=|\*\*|\+\+|--|&&|\|\||<<|>>|[-+*\/%&|^<>=!]=|[-+*\/%&|^<>=!~?:,()[\]]))?/y;
const CACHE_SIZE = 4096;
const cache = new Map<string, Expression>();

/** Parses an expression; the empty one is 0. */
export function parseArithmetic(text: string): Expression {
  const known = cache.get(text);
  if (known) return known;
  const expression = new ArithmeticParser(text).parse();
  if (cache.size >= CACHE_SIZE) cache.clear();
  cache.set(text, expression);
  return expression;
}

class ArithmeticParser {
  /** The token here, and where it begins. */
  #kind: "name" | "number" | "operator" | "end" | "bad" = "end";
  #value = "";
  #start = 0;
  #end = 0;

  constructor(private readonly text: string) {}

  parse(): Expression {
    this.#next();
    if ((this.#kind as string) === "end") return { type: "number", value: 0 };
    const expression = this.#comma();
    if (this.#kind !== "end") this.#fail(this.#kind === "bad" ? "invalid arithmetic operator" : "syntax error in expression");
    return expression;
  }

  #next(): void {
    TOKEN.lastIndex = this.#end;
    const match = TOKEN.exec(this.text);
    const [all, name, number, operator] = match ?? ["", undefined, undefined, undefined];
    this.#value = name ?? number ?? operator ?? "";
    this.#end += all.length;
    this.#start = this.#end - this.#value.length;
    this.#kind = name !== undefined
      ? "name"
      : number !== undefined
      ? "number"
      : operator !== undefined
      ? "operator"
      : this.#end < this.text.length
      ? "bad"
      : "end";
  }

  #fail(what: string): never {
    const token = this.text.slice(this.#start).trimStart();
    const reason = what === "syntax error in expression" ? what : `syntax error: ${what}`;
    throw new ArithmeticError(`${this.text.trimStart()}: ${reason} (error token is "${token}")`);
  }

  #is(operator: string): boolean {
    return this.#kind === "operator" && this.#value === operator;
  }

  #expect(operator: string): void {
    if (!this.#is(operator)) this.#fail(operator === ")" ? "missing `)'" : "`:' expected for conditional expression");
    this.#next();
  }

  #comma(): Expression {
    let left = this.#assignment();
    while (this.#is(",")) {
      this.#next();
      left = { type: "binary", operator: ",", left, right: this.#assignment() };
    }
    return left;
  }

  #assignment(): Expression {
    const left = this.#choice();
    const [, operator] = this.#kind === "operator" ? /^(<<|>>|[-+*\/%&|^]|)=$/.exec(this.#value) ?? [] : [];
    if (operator === undefined) return left;
    if (left.type !== "name") this.#fail("attempted assignment to non-variable".replace(/^/, ""));
    this.#next();
    return { type: "assign", target: left as NameExpression, operator, value: this.#assignment() };
  }

  #choice(): Expression {
    const condition = this.#binary(4);
    if (!this.#is("?")) return condition;
    this.#next();
    if (this.#is(":")) this.#fail("expression expected");
    const yes = this.#comma();
    this.#expect(":");
    return { type: "choice", condition, yes, no: this.#assignment() };
  }

  #binary(least: number): Expression {
    let left = this.#unary();
    for (;;) {
      const operator = this.#value;
      const precedence = this.#kind === "operator" ? PRECEDENCE[operator] ?? 0 : 0;
      if (precedence < least) return left;
      this.#next();
      const right = this.#binary(operator === "**" ? precedence : precedence + 1);
      left = { type: "binary", operator, left, right };
    }
  }

  #unary(): Expression {
    const operator = this.#value;
    if (this.#kind === "operator" && (operator === "++" || operator === "--")) {
      this.#next();
      const operand = this.#unary();
      if (operand.type === "name") return { type: "step", target: operand, by: operator === "++" ? 1 : -1, before: true };
      const sign = operator[0] as "+" | "-";
      return { type: "unary", operator: sign, operand: { type: "unary", operator: sign, operand } };
    }
    if (this.#kind === "operator" && /^[-+!~]$/.test(operator)) {
      this.#next();
      return { type: "unary", operator: operator as "-", operand: this.#unary() };
    }
    return this.#postfix();
  }

  #postfix(): Expression {
    const operand = this.#primary();
    if (operand.type !== "name" || !(this.#is("++") || this.#is("--"))) return operand;
    const by = this.#value === "++" ? 1 : -1;
    this.#next();
    return { type: "step", target: operand, by, before: false };
  }

  #primary(): Expression {
    if (this.#is("(")) {
      this.#next();
      const inner = this.#comma();
      this.#expect(")");
      return inner;
    }
    if (this.#kind === "number") return this.#number();
    if (this.#kind !== "name") this.#fail("operand expected");
    const name = this.#value;
    if (this.text[this.#end] !== "[") {
      this.#next();
      return { type: "name", name };
    }
    const subscript = this.#subscript();
    this.#next();
    return { type: "name", name, subscript };
  }

  #number(): Expression {
    const value = parseNumber(this.#value);
    if (value === undefined) {
      const base = this.#value.includes("#") && !/^([2-9]|[1-5]\d|6[0-4])#/.test(this.#value);
      const reason = base
        ? "invalid arithmetic base"
        : /^\d+#|^0/.test(this.#value)
        ? "value too great for base"
        : "value too great for base";
      throw new ArithmeticError(`${this.text.trimStart()}: ${reason} (error token is "${this.text.slice(this.#start).trimEnd()}")`);
    }
    this.#next();
    return { type: "number", value };
  }

  /** The text between brackets: a key, or an expression for later. */
  #subscript(): string {
    let depth = 0;
    for (let at = this.#end; at < this.text.length; at++) {
      if (this.text[at] === "[") depth++;
      else if (this.text[at] === "]" && --depth === 0) {
        const subscript = this.text.slice(this.#end + 1, at);
        this.#end = at + 1;
        return subscript;
      }
    }
    throw new ArithmeticError(`${this.text}: bad array subscript (error token is "${this.text.slice(this.#start)}")`);
  }
}
