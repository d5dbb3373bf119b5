/** Inlines the most frequent primitives for arguments of the usual types. */

import type { Node } from "./nodes.ts";
import type { Code, Native, Primitive } from "../vm/procedures.ts";
import type { Cell } from "../syntax/scope.ts";
import { NIL, Pair, type Value } from "../vm/values.ts";

const MAX = Number.MAX_SAFE_INTEGER;

/** `slow` does all that is not done here; `is` says whether the name still means the primitive. */
type Unary = (a: Code, slow: Native, cell: Cell, is: Primitive) => Code;
type Binary = (a: Code, b: Code, slow: Native, cell: Cell, is: Primitive) => Code;
type WithInteger = (a: Code, k: number, slow: Native, cell: Cell, is: Primitive) => Code;

const UNARY: Record<string, Unary> = {
  "car": (a, slow, cell, is) => (env) => {
    const x = a(env);
    return x instanceof Pair && cell.value === is ? x.car : slow(x);
  },
  "cdr": (a, slow, cell, is) => (env) => {
    const x = a(env);
    return x instanceof Pair && cell.value === is ? x.cdr : slow(x);
  },
  "null?": (a, slow, cell, is) => (env) => cell.value === is ? a(env) === NIL : slow(a(env)),
  "pair?": (a, slow, cell, is) => (env) => cell.value === is ? a(env) instanceof Pair : slow(a(env)),
  "not": (a, slow, cell, is) => (env) => cell.value === is ? a(env) === false : slow(a(env)),
  "zero?": (a, slow, cell, is) => (env) => {
    const x = a(env);
    return typeof x === "number" && cell.value === is ? x === 0 : slow(x);
  },
};

const BINARY: Record<string, Binary> = {
  "+": (a, b, slow, cell, is) => (env) => {
    const x = a(env);
    const y = b(env);
    if (typeof x === "number" && typeof y === "number" && cell.value === is) {
      const sum = x + y;
      if (sum <= MAX && sum >= -MAX) return sum;
    }
    return slow(x, y);
  },
  "-": (a, b, slow, cell, is) => (env) => {
    const x = a(env);
    const y = b(env);
    if (typeof x === "number" && typeof y === "number" && cell.value === is) {
      const difference = x - y;
      if (difference <= MAX && difference >= -MAX) return difference;
    }
    return slow(x, y);
  },
  "*": (a, b, slow, cell, is) => (env) => {
    const x = a(env);
    const y = b(env);
    if (typeof x === "number" && typeof y === "number" && cell.value === is) {
      const product = x * y;
      if (product <= MAX && product >= -MAX) return product + 0;
    }
    return slow(x, y);
  },
  "=": (a, b, slow, cell, is) => (env) => {
    const x = a(env);
    const y = b(env);
    return typeof x === "number" && typeof y === "number" && cell.value === is ? x === y : slow(x, y);
  },
  "<": (a, b, slow, cell, is) => (env) => {
    const x = a(env);
    const y = b(env);
    return typeof x === "number" && typeof y === "number" && cell.value === is ? x < y : slow(x, y);
  },
  ">": (a, b, slow, cell, is) => (env) => {
    const x = a(env);
    const y = b(env);
    return typeof x === "number" && typeof y === "number" && cell.value === is ? x > y : slow(x, y);
  },
  "<=": (a, b, slow, cell, is) => (env) => {
    const x = a(env);
    const y = b(env);
    return typeof x === "number" && typeof y === "number" && cell.value === is ? x <= y : slow(x, y);
  },
  ">=": (a, b, slow, cell, is) => (env) => {
    const x = a(env);
    const y = b(env);
    return typeof x === "number" && typeof y === "number" && cell.value === is ? x >= y : slow(x, y);
  },
  "eq?": (a, b, slow, cell, is) => (env) => {
    const x = a(env);
    const y = b(env);
    return cell.value === is && x === y ? true : slow(x, y);
  },
  "cons": (a, b, slow, cell, is) => (env) => {
    const x = a(env);
    const y = b(env);
    return cell.value === is ? new Pair(x, y) : slow(x, y);
  },
  "vector-ref": (a, b, slow, cell, is) => (env) => {
    const x = a(env);
    const y = b(env);
    if (Array.isArray(x) && typeof y === "number" && y >= 0 && y < x.length && cell.value === is) return x[y] as Value;
    return slow(x, y);
  },
};

const WITH_INTEGER: Record<string, WithInteger> = {
  "+": (a, k, slow, cell, is) => (env) => {
    const x = a(env);
    if (typeof x === "number" && cell.value === is) {
      const sum = x + k;
      if (sum <= MAX && sum >= -MAX) return sum;
    }
    return slow(x, k);
  },
  "-": (a, k, slow, cell, is) => (env) => {
    const x = a(env);
    if (typeof x === "number" && cell.value === is) {
      const difference = x - k;
      if (difference <= MAX && difference >= -MAX) return difference;
    }
    return slow(x, k);
  },
  "=": (a, k, slow, cell, is) => (env) => {
    const x = a(env);
    return typeof x === "number" && cell.value === is ? x === k : slow(x, k);
  },
  "<": (a, k, slow, cell, is) => (env) => {
    const x = a(env);
    return typeof x === "number" && cell.value === is ? x < k : slow(x, k);
  },
  ">": (a, k, slow, cell, is) => (env) => {
    const x = a(env);
    return typeof x === "number" && cell.value === is ? x > k : slow(x, k);
  },
};

/** Null if there is no such code. */
export function inlinePrimitive(cell: Cell, primitive: Primitive, operands: Node[], slow: Native): Code | null {
  if (!operands.every((node) => node.simple)) return null;
  const [first, second] = operands;
  const { name } = primitive;
  if (operands.length === 1 && Object.hasOwn(UNARY, name)) return UNARY[name](first.code, slow, cell, primitive);
  if (operands.length !== 2) return null;
  const k = second.constant?.value;
  if (typeof k === "number" && Object.hasOwn(WITH_INTEGER, name)) {
    return WITH_INTEGER[name](first.code, k, slow, cell, primitive);
  }
  return Object.hasOwn(BINARY, name) ? BINARY[name](first.code, second.code, slow, cell, primitive) : null;
}
