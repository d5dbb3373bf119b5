/** Finds out which names are arrays, and what a program calls that it does not have. */
import { AwkError } from "../errors.ts";
import type { ArrayExpr, CallExpr, Expr, FunctionNode, NameExpr, Program, Rule } from "./syntax.ts";
import { visitExpression, visitExpressions } from "./walk.ts";

/** Which arguments of the built-in functions are arrays. */
const ARRAY_ARGUMENTS: Record<string, number[]> = {
  split: [1, 3],
  patsplit: [1, 3],
  match: [2],
  asort: [0, 1],
  asorti: [0, 1],
};
const UNSUPPORTED = new Set(["SYMTAB", "FUNCTAB"]);

export interface Names {
  /** Global variables; true for arrays. */
  globals: Map<string, boolean>;
  /** For each function, which parameters are arrays. */
  arrayParameters: Map<string, boolean[]>;
}

/** A name handed to a function: it is an array if the parameter is. */
interface Passed {
  name: NameExpr;
  within: string | undefined;
  callee: string;
  position: number;
}

/** The names of a program; throws if it is not one. */
export function resolveNames(program: Program): Names {
  const resolver = new Resolver(program);
  for (const { pattern, body } of program.rules) resolver.rule(pattern, body);
  for (const node of program.functions.values()) resolver.function(node);
  return resolver.finish();
}

class Resolver {
  readonly #globals = new Map<string, boolean>();
  readonly #arrayParameters: Map<string, boolean[]>;
  readonly #passed: Passed[] = [];
  #within: FunctionNode | undefined;

  constructor(private readonly program: Program) {
    this.#arrayParameters = new Map(
      [...program.functions.values()].map(({ name, parameters }) => [name, parameters.map(() => false)]),
    );
  }

  rule(pattern: Rule["pattern"], body: Rule["body"]): void {
    this.#within = undefined;
    const visit = (expr: Expr) => this.#visit(expr);
    if (pattern.kind === "test") visitExpression(pattern.test, visit);
    if (pattern.kind === "range") [pattern.first, pattern.last].forEach((expr) => visitExpression(expr, visit));
    visitExpressions(body ?? [], visit);
  }

  function(node: FunctionNode): void {
    this.#within = node;
    for (const name of node.parameters) {
      if (this.program.functions.has(name)) {
        throw new AwkError(`function \`${node.name}': can't use function name \`${name}' as parameter name`);
      }
    }
    visitExpressions(node.body, (expr) => this.#visit(expr));
  }

  finish(): Names {
    for (let changed = true; changed;) {
      changed = false;
      for (const { name, within, callee, position } of this.#passed) {
        if (!this.#arrayParameters.get(callee)?.[position]) continue;
        changed = this.#markArray(name, within) || changed;
      }
    }
    return { globals: this.#globals, arrayParameters: this.#arrayParameters };
  }

  #visit(expr: Expr): void {
    switch (expr.kind) {
      case "name":
        return this.#use(expr);
      case "field":
        return;
      case "element":
      case "in":
        return this.#useArray(expr.array);
      case "group":
        if (expr.parts.length > 1) throw new AwkError("syntax error: a list in parentheses needs `in' behind it");
        return;
      case "assign":
      case "step":
        if (expr.target.kind !== "field") this.#visit(expr.target);
        return;
      case "getline":
        if (expr.target && expr.target.kind !== "field") this.#visit(expr.target);
        return;
      case "call":
        return this.#call(expr);
      case "builtin":
        for (const position of ARRAY_ARGUMENTS[expr.name] ?? []) {
          const arg = expr.args[position];
          if (arg === undefined) continue;
          if (arg.kind !== "name" && arg.kind !== "element") {
            throw new AwkError(`${expr.name}: argument ${position + 1} is not an array`);
          }
          this.#useArray(arg);
        }
    }
  }

  #use(name: NameExpr): void {
    if (name.slot >= 0) return;
    if (this.program.functions.has(name.name)) {
      throw new AwkError(`function \`${name.name}' called with space between name and \`(',\nor used as a variable`);
    }
    if (UNSUPPORTED.has(name.name)) throw new AwkError(`${name.name} is not supported`);
    if (!this.#globals.has(name.name)) this.#globals.set(name.name, false);
  }

  #useArray(array: ArrayExpr): void {
    if (array.kind === "element") return this.#useArray(array.array);
    this.#use(array);
    this.#markArray(array, this.#within?.name);
  }

  #markArray(name: NameExpr, within: string | undefined): boolean {
    if (name.slot < 0) {
      if (this.#globals.get(name.name)) return false;
      this.#globals.set(name.name, true);
      return true;
    }
    const marks = this.#arrayParameters.get(within ?? "");
    if (!marks || marks[name.slot]) return false;
    marks[name.slot] = true;
    return true;
  }

  #call({ name, args, line, by }: CallExpr): void {
    if (by) return;
    const node = this.program.functions.get(name);
    if (!node) throw Object.assign(new AwkError(`function \`${name}' not defined`), { line });
    args.forEach((arg, position) => {
      if (arg.kind !== "name") return;
      this.#passed.push({ name: arg, within: this.#within?.name, callee: name, position });
    });
  }
}
