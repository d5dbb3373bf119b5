/** Variables, fields and elements as things to read and set. */
import { AwkArray, type Slot, toNumber, type Value } from "../data/values.ts";
import { AwkError } from "../errors.ts";
import type { Arithmetic, Expr, Target } from "../program/syntax.ts";
import { type ExpressionCompiler, readElement } from "./expressions.ts";
import { operate } from "./operators.ts";

/** Where a value is kept. An element's key is evaluated once, by `prepare`, before the others are used. */
export interface Reference {
  prepare(): void;
  get(): Slot;
  set(value: Value): void;
}

const nothing = () => {};

export function referTo(compiler: ExpressionCompiler, target: Target): Reference {
  const { machine } = compiler;
  if (target.kind === "field") return fieldReference(compiler, target.index);
  if (target.kind === "element") return elementReference(compiler, target);
  const { slot, name } = target;
  if (slot >= 0) {
    return {
      prepare: nothing,
      get: () => machine.locals[slot] as Slot,
      set: (value) => {
        if (machine.locals[slot] instanceof AwkArray) throw arrayUsed(name);
        machine.locals[slot] = value;
      },
    };
  }
  if (compiler.names.globals.get(name)) throw arrayUsed(name);
  const cell = machine.state.cell(name);
  return { prepare: nothing, get: () => cell.value, set: (value) => cell.value = value };
}

function arrayUsed(name: string): AwkError {
  return new AwkError(`attempt to use array \`${name}' in a scalar context`);
}

function fieldReference(compiler: ExpressionCompiler, indexExpr: Expr): Reference {
  const { record } = compiler.machine.state;
  const number = compiler.number(indexExpr);
  let index = 0;
  return {
    prepare: () => index = Math.trunc(number()),
    get: () => record.valueOf(index),
    set: (value) => record.set(index, value),
  };
}

function elementReference(compiler: ExpressionCompiler, target: Target & { kind: "element" }): Reference {
  const [array, key] = [compiler.array(target.array), compiler.key(target.keys)];
  let map = new Map<string, Slot>();
  let name = "";
  return {
    prepare: () => {
      ({ map } = array());
      name = key();
    },
    get: () => readElement(map, name),
    set: (value) => {
      if (map.get(name) instanceof AwkArray) throw new AwkError(`attempt to use array element ["${name}"] as a scalar`);
      map.set(name, value);
    },
  };
}

export function compileAssign(
  compiler: ExpressionCompiler,
  op: Arithmetic | "",
  target: Reference,
  expr: Expr,
): () => Value {
  if (op === "") {
    const value = compiler.value(expr);
    return () => {
      const found = value();
      if (found instanceof AwkArray) throw new AwkError("attempt to use an array in a scalar context");
      target.prepare();
      target.set(found);
      return found;
    };
  }
  const number = compiler.number(expr);
  return () => {
    const right = number();
    target.prepare();
    const result = operate(op, toNumber(target.get()), right);
    target.set(result);
    return result;
  };
}

export function compileStep(target: Reference, by: number, before: boolean): () => number {
  return () => {
    target.prepare();
    const old = toNumber(target.get());
    target.set(old + by);
    return before ? old + by : old;
  };
}
