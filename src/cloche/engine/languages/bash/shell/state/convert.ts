/** What attributes make of a value: -i, -l, -u, -c. */
import type { Interpreter } from "../interpreter.ts";
import { CAPITALIZED, INTEGER, LOWER, UPPER } from "./variables.ts";

type Evaluate = (shell: Interpreter, text: string) => number | bigint;

let evaluate: Evaluate = () => {
  throw new Error("no arithmetic");
};

let evaluateSubscript = evaluate;

let expand: (shell: Interpreter, text: string) => string = (_, text) => text;

/** Expansion brings itself in too. */
export function provideExpansion(expander: typeof expand): void {
  expand = expander;
}

/** A subscript that was part of a text (`unset 'm["k"]'`) with its quotes and expansions done. */
export function expandSubscriptText(shell: Interpreter, text: string): string {
  return /["'\\$`]/.test(text) ? expand(shell, text) : text;
}

/** Arithmetic stands above variables, so it brings itself in. */
export function provideArithmetic(evaluator: Evaluate, ofSubscripts: Evaluate): void {
  evaluate = evaluator;
  evaluateSubscript = ofSubscripts;
}

const INDEX = /^(?:0|[1-9]\d{0,8})$/;

/** The number that a subscript stands for. */
export function evaluateIndex(shell: Interpreter, subscript: string): number {
  return INDEX.test(subscript) ? Number(subscript) : Number(evaluateSubscript(shell, subscript));
}

/** A value as a variable with these attributes takes it; `before` is what it is appended to. */
export function convertValue(shell: Interpreter, attributes: number, value: string, before?: string): string {
  if (attributes & INTEGER) {
    const number = evaluate(shell, value);
    if (before === undefined || before === "") return String(number);
    return String(BigInt.asIntN(64, BigInt(evaluate(shell, before)) + BigInt(number)));
  }
  const whole = before === undefined ? value : before + value;
  if (attributes & LOWER) return whole.toLowerCase();
  if (attributes & UPPER) return whole.toUpperCase();
  if (attributes & CAPITALIZED) return whole.slice(0, 1).toUpperCase() + whole.slice(1).toLowerCase();
  return whole;
}
