/** Parses expressions, weakest operator first. */
import type { Arithmetic, ArrayExpr, Comparison, Expr, NameExpr, Target } from "./syntax.ts";
import type { Tokens } from "./tokens.ts";

const ASSIGNMENTS: Record<string, Arithmetic | ""> = {
  "=": "",
  "+=": "+",
  "-=": "-",
  "*=": "*",
  "/=": "/",
  "%=": "%",
  "^=": "^",
};
const COMPARISONS = new Set(["<", "<=", "==", "!=", ">", ">="]);
/** Functions that are called without parentheses too. */
const BARE = new Set(["length"]);
const ARGUMENTS: Record<string, [least: number, most: number]> = {
  length: [0, 1],
  substr: [2, 3],
  index: [2, 2],
  split: [2, 4],
  patsplit: [2, 4],
  sub: [2, 3],
  gsub: [2, 3],
  gensub: [3, 4],
  match: [2, 3],
  sprintf: [1, Infinity],
  toupper: [1, 1],
  tolower: [1, 1],
  sin: [1, 1],
  cos: [1, 1],
  atan2: [2, 2],
  exp: [1, 1],
  log: [1, 1],
  sqrt: [1, 1],
  int: [1, 1],
  rand: [0, 0],
  srand: [0, 1],
  system: [1, 1],
  close: [1, 2],
  fflush: [0, 1],
  systime: [0, 0],
  strftime: [0, 3],
  mktime: [1, 2],
  strtonum: [1, 1],
  and: [2, Infinity],
  or: [2, Infinity],
  xor: [2, Infinity],
  compl: [1, 1],
  lshift: [2, 2],
  rshift: [2, 2],
  asort: [1, 3],
  asorti: [1, 3],
  isarray: [1, 1],
  typeof: [1, 1],
};

/** Whether a value can be assigned to an expression. */
export function isTarget(expr: Expr): expr is Target {
  return expr.kind === "name" || expr.kind === "field" || expr.kind === "element";
}

export class ExpressionParser {
  /** The parameters of the function that is parsed. */
  parameters: string[] = [];
  /** Where `>` writes to a file: behind `print`, outside of parentheses. */
  #printing = false;

  constructor(readonly tokens: Tokens) {}

  /** Any expression. */
  expression(): Expr {
    return this.#choice();
  }

  /** One of the expressions behind `print`. */
  printed(): Expr {
    return this.#within(true, () => this.#choice());
  }

  /** The name of a file or command behind `print >`. */
  outputTarget(): Expr {
    return this.#within(true, () => this.#concat());
  }

  /** Expressions up to the closing mark, which stays. */
  list(close: string): Expr[] {
    const { tokens } = this;
    const found: Expr[] = [];
    this.#within(false, () => {
      tokens.skipNewlines();
      while (!tokens.is(close)) {
        found.push(this.#choice());
        tokens.skipNewlines();
        if (!tokens.is(",")) break;
        tokens.take();
        tokens.skipNewlines();
      }
    });
    return found;
  }

  #within<T>(printing: boolean, parse: () => T): T {
    const before = this.#printing;
    this.#printing = printing;
    try {
      return parse();
    } finally {
      this.#printing = before;
    }
  }

  #choice(): Expr {
    const { tokens } = this;
    const test = this.#or();
    if (!tokens.is("?")) return test;
    tokens.take();
    tokens.skipNewlines();
    const yes = this.#choice();
    tokens.skipNewlines();
    tokens.expect(":");
    tokens.skipNewlines();
    return { kind: "choice", test, yes, no: this.#choice() };
  }

  #or(): Expr {
    let left = this.#and();
    while (this.tokens.accept("||")) {
      this.tokens.skipNewlines();
      left = { kind: "logic", op: "||", left, right: this.#and() };
    }
    return left;
  }

  #and(): Expr {
    let left = this.#in();
    while (this.tokens.accept("&&")) {
      this.tokens.skipNewlines();
      left = { kind: "logic", op: "&&", left, right: this.#in() };
    }
    return left;
  }

  #in(): Expr {
    let left = this.#match();
    while (this.tokens.accept("in")) {
      left = { kind: "in", keys: left.kind === "group" ? left.parts : [left], array: this.arrayName() };
    }
    return left;
  }

  #match(): Expr {
    const { tokens } = this;
    let left = this.#compare();
    while (tokens.is("~") || tokens.is("!~")) {
      const negated = tokens.take().text === "!~";
      left = { kind: "match", negated, text: left, pattern: this.#compare() };
    }
    return left;
  }

  #compare(): Expr {
    const { tokens } = this;
    let left = this.#piped();
    while (tokens.current.kind === "mark" && COMPARISONS.has(tokens.current.text)) {
      if (this.#printing && tokens.is(">")) break;
      const op = tokens.take().text as Comparison;
      left = { kind: "compare", op, left, right: this.#piped() };
    }
    return left;
  }

  /** `command | getline`, as often as it follows. */
  #piped(): Expr {
    const { tokens } = this;
    let left = this.#concat();
    while (tokens.is("|") || tokens.is("|&")) {
      const follows = tokens.lookAhead(() => {
        tokens.take();
        return tokens.is("getline");
      });
      if (!follows) break;
      const input = tokens.take().text === "|" ? "command" : "coprocess";
      tokens.take();
      left = { kind: "getline", input, source: left, target: this.#optionalTarget() };
    }
    return left;
  }

  #concat(): Expr {
    const first = this.#additive();
    if (!this.#startsOperand()) return first;
    const parts = [first];
    while (this.#startsOperand()) parts.push(this.#additive());
    return { kind: "concat", parts };
  }

  #startsOperand(): boolean {
    const { kind, text } = this.tokens.current;
    if (kind === "mark") return "$!(-+".includes(text) || text === "++" || text === "--" || text === "@";
    if (kind === "word") return text === "getline";
    return kind === "number" || kind === "string" || kind === "name" || kind === "function name" || kind === "builtin";
  }

  #additive(): Expr {
    const { tokens } = this;
    let left = this.#multiplicative();
    while (tokens.is("+") || tokens.is("-")) {
      const op = tokens.take().text as Arithmetic;
      left = { kind: "arithmetic", op, left, right: this.#multiplicative() };
    }
    return left;
  }

  #multiplicative(): Expr {
    const { tokens } = this;
    let left = this.#unary();
    while (tokens.is("*") || tokens.is("/") || tokens.is("%")) {
      const op = tokens.take().text as Arithmetic;
      left = { kind: "arithmetic", op, left, right: this.#unary() };
    }
    return left;
  }

  #unary(): Expr {
    const { tokens } = this;
    if (!tokens.is("!") && !tokens.is("-") && !tokens.is("+")) return this.#power();
    const op = tokens.take().text as "-" | "+" | "!";
    return { kind: "unary", op, operand: this.#unary() };
  }

  #power(): Expr {
    const base = this.#postfix();
    if (!this.tokens.accept("^")) return base;
    return { kind: "arithmetic", op: "^", left: base, right: this.#unary() };
  }

  /** An operand with what changes it: assignments and steps. */
  #postfix(): Expr {
    const { tokens } = this;
    const operand = this.#primary();
    if (!isTarget(operand)) return operand;
    const { kind, text } = tokens.current;
    if (kind !== "mark") return operand;
    if (text === "++" || text === "--") {
      tokens.take();
      return { kind: "step", target: operand, by: text === "++" ? 1 : -1, before: false };
    }
    const op = ASSIGNMENTS[text];
    if (op === undefined) return operand;
    tokens.take();
    tokens.skipNewlines();
    return { kind: "assign", op, target: operand, value: this.#choice() };
  }

  #primary(): Expr {
    const { tokens } = this;
    const { kind, text, value } = tokens.current;
    switch (kind) {
      case "number":
        tokens.take();
        return { kind: "number", value };
      case "string":
        tokens.take();
        return { kind: "string", value: text };
      case "name":
        return this.#variable();
      case "function name":
        return this.#call();
      case "builtin":
        return this.#builtin();
    }
    if (tokens.is("/") || tokens.is("/=")) return { kind: "regex", source: tokens.regex() };
    if (tokens.accept("getline")) return this.#getline();
    if (tokens.accept("$")) return { kind: "field", index: this.#fieldIndex() };
    if (tokens.is("++") || tokens.is("--")) return this.#step();
    if (tokens.accept("(")) return this.#group();
    if (tokens.accept("@")) return this.#indirect();
    throw tokens.error();
  }

  #fieldIndex(): Expr {
    const { tokens } = this;
    if (tokens.is("-") || tokens.is("+") || tokens.is("!")) {
      const op = tokens.take().text as "-" | "+" | "!";
      return { kind: "unary", op, operand: this.#fieldIndex() };
    }
    return this.#primary();
  }

  #step(): Expr {
    const { tokens } = this;
    const by = tokens.take().text === "++" ? 1 : -1;
    const target = this.#primary();
    if (!isTarget(target)) throw tokens.error();
    return { kind: "step", target, by, before: true };
  }

  #group(): Expr {
    const { tokens } = this;
    const parts = this.list(")");
    if (parts.length === 0) throw tokens.error();
    tokens.expect(")");
    return { kind: "group", parts };
  }

  #getline(): Expr {
    const target = this.#optionalTarget();
    if (!this.tokens.accept("<")) return { kind: "getline", input: "main", target };
    const source = this.#primary();
    return { kind: "getline", input: "file", source, target };
  }

  #optionalTarget(): Target | undefined {
    const { tokens } = this;
    if (tokens.current.kind !== "name" && !tokens.is("$")) return undefined;
    const target = this.#primary();
    if (!isTarget(target)) throw tokens.error();
    return target;
  }

  #variable(): Expr {
    const { tokens } = this;
    let found: ArrayExpr = this.#name();
    while (tokens.accept("[")) {
      const keys = this.list("]");
      if (keys.length === 0) throw tokens.error();
      tokens.expect("]");
      found = { kind: "element", array: found, keys };
    }
    return found;
  }

  #name(): NameExpr {
    const name = this.tokens.take().text;
    return { kind: "name", name, slot: this.parameters.indexOf(name) };
  }

  /** A variable's name, alone. */
  variableName(): NameExpr {
    if (this.tokens.current.kind !== "name") throw this.tokens.error();
    return this.#name();
  }

  /** The array behind `in` or `delete`; it may be an element of another, but its own last keys are left. */
  arrayName(): ArrayExpr {
    if (this.tokens.current.kind !== "name") throw this.tokens.error();
    const found = this.#variable();
    if (found.kind !== "name" && found.kind !== "element") throw this.tokens.error();
    return found;
  }

  #call(): Expr {
    const { tokens } = this;
    const { text: name, line } = tokens.take();
    tokens.expect("(");
    const args = this.list(")");
    tokens.expect(")");
    return { kind: "call", name, args, line };
  }

  #indirect(): Expr {
    const { tokens } = this;
    if (tokens.current.kind !== "function name") throw tokens.error();
    const { text } = tokens.current;
    const call = this.#call();
    if (call.kind !== "call") throw tokens.error();
    return { ...call, by: { kind: "name", name: text, slot: this.parameters.indexOf(text) } };
  }

  #builtin(): Expr {
    const { tokens } = this;
    const { text: name } = tokens.take();
    if (!tokens.is("(")) {
      if (!BARE.has(name)) throw tokens.error();
      return { kind: "builtin", name, args: [] };
    }
    tokens.take();
    const args = this.list(")");
    const [least, most] = ARGUMENTS[name];
    if (args.length < least || args.length > most) {
      throw tokens.error(`${args.length} is invalid as number of arguments for ${name}`);
    }
    tokens.expect(")");
    return { kind: "builtin", name, args };
  }
}
