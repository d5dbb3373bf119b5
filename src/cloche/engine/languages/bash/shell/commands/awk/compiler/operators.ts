/** Arithmetic and comparisons as closures. */
import { AwkError } from "../errors.ts";
import type { Arithmetic, Comparison } from "../program/syntax.ts";

type Numeric = () => number;

/** One operation on two numbers. */
export function operate(op: Arithmetic, left: number, right: number): number {
  switch (op) {
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
    case "/":
      if (right === 0) throw new AwkError("division by zero attempted");
      return left / right;
    case "%":
      if (right === 0) throw new AwkError("division by zero attempted in `%'");
      return left % right;
    case "^":
      return power(left, right);
  }
}

/** C's pow: 1 to whatever power is 1. */
function power(left: number, right: number): number {
  return left === 1 || left === -1 && !Number.isFinite(right) && right === right ? 1 : left ** right;
}

export function calculate(op: Arithmetic, left: Numeric, right: Numeric): Numeric {
  switch (op) {
    case "+":
      return () => left() + right();
    case "-":
      return () => left() - right();
    case "*":
      return () => left() * right();
    default:
      return () => operate(op, left(), right());
  }
}

export function compareNumeric(op: Comparison, left: Numeric, right: Numeric): () => boolean {
  switch (op) {
    case "<":
      return () => left() < right();
    case "<=":
      return () => left() <= right();
    case "==":
      return () => left() === right();
    case "!=":
      return () => left() !== right();
    case ">":
      return () => left() > right();
    case ">=":
      return () => left() >= right();
  }
}

/** A comparison by an order: negative, zero or positive. */
export function compareOrder(op: Comparison, order: Numeric): () => boolean {
  switch (op) {
    case "<":
      return () => order() < 0;
    case "<=":
      return () => order() <= 0;
    case "==":
      return () => order() === 0;
    case "!=":
      return () => order() !== 0;
    case ">":
      return () => order() > 0;
    case ">=":
      return () => order() >= 0;
  }
}
