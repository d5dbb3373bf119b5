/** Arithmetic: from text to a tree. */
import type { Int } from "./number.ts";
import { Tokens } from "./tokens.ts";

export interface Target {
  name: string;
  subscript?: string;
}

export type Node =
  | { type: "Number"; value: Int }
  | { type: "Name"; target: Target }
  | { type: "Unary"; operator: string; operand: Node }
  /** `before` is the value after the change, as in ++x. */
  | { type: "Step"; target: Target; by: 1 | -1; before: boolean }
  /** `rest` is the text from the right side on, for messages. */
  | { type: "Binary"; operator: string; left: Node; right: Node; rest: string }
  | { type: "Choice"; condition: Node; yes: Node; no: Node }
  | { type: "Assign"; operator: string; target: Target; value: Node; rest: string };

export interface Tree {
  text: string;
  root: Node | undefined;
}

/** From the loosest to the tightest; the left one is computed first. */
const LEVELS = [
  ["||"],
  ["&&"],
  ["|"],
  ["^"],
  ["&"],
  ["==", "!="],
  ["<=", ">=", "<", ">"],
  ["<<", ">>"],
  ["+", "-"],
  ["*", "/", "%"],
];
const ASSIGNMENTS = new Set(["=", "+=", "-=", "*=", "/=", "%=", "&=", "^=", "|=", "<<=", ">>="]);

/** Throws an ArithmeticError with bash's words. */
export function parseTree(text: string): Tree {
  return new TreeParser(text).parse();
}

class TreeParser {
  readonly #tokens: Tokens;

  constructor(private readonly text: string) {
    this.#tokens = new Tokens(text);
  }

  parse(): Tree {
    const tokens = this.#tokens;
    tokens.next();
    if (tokens.ended) return { text: this.text, root: undefined };
    const root = this.#list();
    if (!tokens.ended) tokens.fail("syntax error in expression");
    return { text: this.text, root };
  }

  #list(): Node {
    let left = this.#assignment();
    while (this.#tokens.is(",")) {
      this.#tokens.next();
      left = { type: "Binary", operator: ",", left, right: this.#assignment(), rest: "" };
    }
    return left;
  }

  #assignment(): Node {
    const tokens = this.#tokens;
    const left = this.#choice();
    const { kind, text } = tokens.current;
    if (kind !== "operator" || !ASSIGNMENTS.has(text)) return left;
    if (left.type !== "Name" || this.#enclosed.has(left)) return tokens.fail("attempted assignment to non-variable");
    tokens.next();
    if (tokens.ended) tokens.fail("syntax error: operand expected");
    const rest = this.text.slice(tokens.current.at);
    return { type: "Assign", operator: text.slice(0, -1), target: left.target, value: this.#assignment(), rest };
  }

  #choice(): Node {
    const tokens = this.#tokens;
    const condition = this.#binary(0);
    if (!tokens.is("?")) return condition;
    tokens.next();
    if (tokens.ended || tokens.is(":")) tokens.fail("expression expected");
    const yes = this.#list();
    if (!tokens.is(":")) tokens.fail("`:' expected for conditional expression");
    tokens.next();
    if (tokens.ended) tokens.fail("expression expected");
    return { type: "Choice", condition, yes, no: this.#choice() };
  }

  #binary(level: number): Node {
    if (level === LEVELS.length) return this.#power();
    const tokens = this.#tokens;
    let left = this.#binary(level + 1);
    while (tokens.current.kind === "operator" && LEVELS[level].includes(tokens.current.text)) {
      const operator = tokens.current.text;
      const rest = this.text.slice(tokens.at).trimStart();
      tokens.next();
      left = { type: "Binary", operator, left, right: this.#binary(level + 1), rest };
    }
    return left;
  }

  #power(): Node {
    const tokens = this.#tokens;
    const left = this.#unary();
    if (!tokens.is("**")) return left;
    tokens.next();
    const right = this.#power();
    const rest = tokens.ended ? this.#lastToken : this.text.slice(tokens.current.at);
    return { type: "Binary", operator: "**", left, right, rest };
  }

  #unary(): Node {
    const tokens = this.#tokens;
    const { kind, text } = tokens.current;
    if (kind === "operator" && (text === "!" || text === "~" || text === "-" || text === "+")) {
      tokens.next();
      const operand = this.#unary();
      return { type: "Unary", operator: text, operand };
    }
    return this.#primary();
  }

  /** The text from the last token on, which errors show at the end. */
  #lastToken = "";
  /** Names in parentheses, which cannot be assigned to. */
  readonly #enclosed = new WeakSet<Node>();

  #primary(): Node {
    const tokens = this.#tokens;
    const { kind, text, value = 0, at } = tokens.current;
    this.#lastToken = this.text.slice(at);
    if (kind === "number") {
      tokens.next();
      return { type: "Number", value };
    }
    if (kind === "name") return this.#name();
    if (tokens.is("(")) {
      tokens.next();
      const inner = this.#list();
      if (!tokens.is(")")) tokens.fail("missing `)'");
      tokens.next();
      this.#enclosed.add(inner);
      return inner;
    }
    if (kind === "operator" && (text === "++" || text === "--")) {
      tokens.next();
      const target = targetOf(tokens);
      tokens.next();
      return { type: "Step", target, by: text === "++" ? 1 : -1, before: true };
    }
    return tokens.fail("syntax error: operand expected");
  }

  #name(): Node {
    const tokens = this.#tokens;
    const target = targetOf(tokens);
    tokens.next();
    if (!tokens.is("post++") && !tokens.is("post--")) return { type: "Name", target };
    const by = tokens.is("post++") ? 1 : -1;
    tokens.next();
    return { type: "Step", target, by, before: false };
  }
}

function targetOf({ current: { text, subscript } }: Tokens): Target {
  return subscript === undefined ? { name: text } : { name: text, subscript };
}
