/** Computes arithmetic. */
import { expandArithmetic } from "../expansion/words.ts";
import { ExpansionError, type Interpreter } from "../interpreter.ts";
import { assignElement, assignVariable, readElement, readVariable } from "../state/assign.ts";
import type { ArithmeticNode } from "../syntax/nodes.ts";
import type { Task } from "../task.ts";
import { add, combine, divide, type Int, multiply, power, remainder, shift, subtract, wrap } from "./number.ts";
import { ArithmeticError, type Expression, type NameExpression, parseArithmetic } from "./parse.ts";

export type { Int };

/** How far names may lead to expressions that have names. */
const RECURSION = 1024;
const COMPILED: unique symbol = Symbol("cloche.arithmetic");

type Compiled = ArithmeticNode & { [COMPILED]?: Expression };

/** The value of a node: expanded first if there is anything to expand. */
export function* evaluateArithmetic(shell: Interpreter, node: ArithmeticNode): Task<Int> {
  if (node.word) return evaluateText(shell, yield* expandArithmetic(shell, node.word));
  return evaluateNode(shell, node);
}

/** The same where nothing is to be expanded. */
export function evaluateNode(shell: Interpreter, node: ArithmeticNode): Int {
  return guarded(() => evaluate(shell, (node as Compiled)[COMPILED] ??= parseArithmetic(node.text), 0));
}

export function evaluateText(shell: Interpreter, text: string): Int {
  return guarded(() => evaluate(shell, parseArithmetic(text), 0));
}

/** A mistake in arithmetic gives up the command. */
function guarded(act: () => Int): Int {
  try {
    return act();
  } catch (error) {
    throw error instanceof ArithmeticError ? new ExpansionError(error.message, false) : error;
  }
}

function evaluate(shell: Interpreter, node: Expression, depth: number): Int {
  switch (node.type) {
    case "number":
      return node.value;
    case "name":
      return readName(shell, node, depth);
    case "binary":
      return binary(shell, node, depth);
    case "unary": {
      const value = evaluate(shell, node.operand, depth);
      if (node.operator === "!") return value === 0 ? 1 : 0;
      if (node.operator === "-") return subtract(0, value);
      return node.operator === "~" ? subtract(subtract(0, value), 1) : value;
    }
    case "choice":
      return evaluate(shell, isTrue(evaluate(shell, node.condition, depth)) ? node.yes : node.no, depth);
    case "step": {
      const before = readName(shell, node.target, depth);
      const after = add(before, node.by);
      assign(shell, node.target, after);
      return node.before ? after : before;
    }
    case "assign": {
      const { target, operator } = node;
      if (operator === "") return assign(shell, target, evaluate(shell, node.value, depth));
      const before = readName(shell, target, depth);
      return assign(shell, target, compute(operator, before, evaluate(shell, node.value, depth)));
    }
  }
}

function isTrue(value: Int): boolean {
  return value !== 0;
}

const PLAIN = /^-?(?:0|[1-9]\d{0,14})$/;

/** A name's value is itself an expression. */
function readName(shell: Interpreter, { name, subscript }: NameExpression, depth: number): Int {
  const text = subscript === undefined ? readVariable(shell, name) : readElement(shell, name, subscript);
  if (text === undefined || text === "") {
    if (text === undefined && shell.state.options.has("nounset")) {
      throw new ExpansionError(`${name}: unbound variable`, true);
    }
    return 0;
  }
  if (PLAIN.test(text)) return Number(text);
  if (depth >= RECURSION) {
    throw new ArithmeticError(`${name}: expression recursion level exceeded (error token is "${name}")`);
  }
  return evaluate(shell, parseArithmetic(text), depth + 1);
}

function assign(shell: Interpreter, { name, subscript }: NameExpression, value: Int): Int {
  if (subscript === undefined) assignVariable(shell, name, String(value));
  else assignElement(shell, name, subscript, String(value));
  return value;
}

function binary(shell: Interpreter, node: Expression & { type: "binary" }, depth: number): Int {
  const left = evaluate(shell, node.left, depth);
  if (node.operator === "&&") return isTrue(left) && isTrue(evaluate(shell, node.right, depth)) ? 1 : 0;
  if (node.operator === "||") return isTrue(left) || isTrue(evaluate(shell, node.right, depth)) ? 1 : 0;
  return compute(node.operator, left, evaluate(shell, node.right, depth));
}

function compute(operator: string, a: Int, b: Int): Int {
  switch (operator) {
    case "+":
      return add(a, b);
    case "-":
      return subtract(a, b);
    case "*":
      return multiply(a, b);
    case "/":
    case "%":
      if (b === 0) throw new ArithmeticError(`division by 0 (error token is "0")`);
      return operator === "/" ? divide(a, b) : remainder(a, b);
    case "**":
      if (b < 0) throw new ArithmeticError(`exponent less than 0 (error token is "${b}")`);
      return power(a, b);
    case "<<":
    case ">>":
      return shift(a, b, operator === "<<");
    case "&":
    case "|":
    case "^":
      return combine(a, b, operator);
    case ",":
      return b;
  }
  return compare(operator, a, b) ? 1 : 0;
}

function compare(operator: string, a: Int, b: Int): boolean {
  switch (operator) {
    case "==":
      return a === b;
    case "!=":
      return a !== b;
    case "<":
      return a < b;
    case ">":
      return a > b;
    case "<=":
      return a <= b;
    default:
      return a >= b;
  }
}

export { wrap };
