/** Compiles expressions that never wait to closures, by the kind of value that is wanted of them. */
import { formatNumber } from "../data/numbers.ts";
import {
  asScalar,
  AwkArray,
  compareNumbers,
  compareTexts,
  compareValues,
  type Slot,
  toBoolean,
  toNumber,
  toText,
  type Value,
} from "../data/values.ts";
import { AwkError } from "../errors.ts";
import { BUILTIN_FUNCTIONS } from "../functions/index.ts";
import type { Machine } from "../machine/machine.ts";
import type { Names } from "../program/resolver.ts";
import type { ArrayExpr, Expr, NameExpr } from "../program/syntax.ts";
import type { Pattern } from "../regex/pattern.ts";
import { calculate, compareNumeric, compareOrder } from "./operators.ts";
import { compileAssign, compileStep, type Reference, referTo } from "./targets.ts";

export class ExpressionCompiler {
  /** The parameters that are arrays, of the function that is compiled. */
  arrayParameters: boolean[] = [];

  constructor(readonly machine: Machine, readonly names: Names) {}

  /** The value of an expression. */
  value(expr: Expr): () => Value {
    switch (expr.kind) {
      case "name":
        return this.#variable(expr);
      case "field": {
        const { record } = this.machine.state;
        if (expr.index.kind === "number") {
          const index = Math.trunc(expr.index.value);
          return () => record.valueOf(index);
        }
        const index = this.number(expr.index);
        return () => record.valueOf(Math.trunc(index()));
      }
      case "element":
        return this.#element(expr.array, expr.keys);
      case "choice": {
        const [test, yes, no] = [this.test(expr.test), this.value(expr.yes), this.value(expr.no)];
        return () => test() ? yes() : no();
      }
      case "assign":
        return compileAssign(this, expr.op, this.reference(expr.target), expr.value);
      case "builtin":
        return this.builtin(expr.name).compile(expr.args, this);
      case "group":
        return this.value(expr.parts[0]);
      case "temporary": {
        const { machine } = this;
        const { slot } = expr;
        return () => machine.locals[slot] as Value;
      }
      case "call":
      case "getline":
        throw new Error(`${expr.kind} may wait and is no plain expression`);
    }
    return kindOf(expr) === "number" ? this.number(expr) : this.text(expr);
  }

  number(expr: Expr): () => number {
    switch (expr.kind) {
      case "number": {
        const { value } = expr;
        return () => value;
      }
      case "arithmetic":
        return calculate(expr.op, this.number(expr.left), this.number(expr.right));
      case "unary": {
        const operand = this.number(expr.operand);
        if (expr.op === "-") return () => -operand();
        if (expr.op === "+") return operand;
        const test = this.test(expr.operand);
        return () => test() ? 0 : 1;
      }
      case "step":
        return compileStep(this.reference(expr.target), expr.by, expr.before);
      case "field": {
        const { record } = this.machine.state;
        const index = this.number(expr.index);
        return () => record.numberOf(Math.trunc(index()));
      }
      case "name": {
        if (expr.slot < 0) {
          const cell = this.machine.state.cell(this.#scalarName(expr));
          return () => {
            const { value } = cell;
            return typeof value === "number" ? value : toNumber(value);
          };
        }
        break;
      }
      case "group":
        return this.number(expr.parts[0]);
    }
    if (isTest(expr)) {
      const test = this.test(expr);
      return () => test() ? 1 : 0;
    }
    const value = this.value(expr);
    return () => toNumber(value());
  }

  text(expr: Expr): () => string {
    const { conventions, record } = this.machine.state;
    switch (expr.kind) {
      case "string": {
        const { value } = expr;
        return () => value;
      }
      case "concat":
        return joinTexts(expr.parts.map((part) => this.text(part)));
      case "field": {
        if (expr.index.kind === "number") {
          const index = Math.trunc(expr.index.value);
          return index === 0 ? () => record.text : () => record.textOf(index);
        }
        const index = this.number(expr.index);
        return () => record.textOf(Math.trunc(index()));
      }
      case "group":
        return this.text(expr.parts[0]);
    }
    const value = this.value(expr);
    return () => toText(value(), conventions);
  }

  /** The text that `print` prints: numbers by OFMT. */
  printed(expr: Expr): () => string {
    const kind = kindOf(expr);
    if (kind === "text" || expr.kind === "field") return this.text(expr);
    const { conventions } = this.machine.state;
    const value = this.value(expr);
    return () => {
      const found = value();
      return typeof found === "number" ? formatNumber(found, conventions.output) : toText(found, conventions);
    };
  }

  /** Whether an expression is true. */
  test(expr: Expr): () => boolean {
    switch (expr.kind) {
      case "compare":
        return this.#compare(expr.op, expr.left, expr.right);
      case "match": {
        const [text, pattern] = [this.text(expr.text), this.pattern(expr.pattern)];
        return expr.negated ? () => !pattern().test(text()) : () => pattern().test(text());
      }
      case "regex": {
        const { record } = this.machine.state;
        const pattern = this.pattern(expr);
        return () => pattern().test(record.text);
      }
      case "in": {
        const [key, array] = [this.key(expr.keys), this.array(expr.array)];
        return () => array().map.has(key());
      }
      case "logic": {
        const [left, right] = [this.test(expr.left), this.test(expr.right)];
        return expr.op === "&&" ? () => left() && right() : () => left() || right();
      }
      case "unary": {
        if (expr.op !== "!") break;
        const operand = this.test(expr.operand);
        return () => !operand();
      }
      case "group":
        return this.test(expr.parts[0]);
    }
    if (kindOf(expr) === "number") {
      const number = this.number(expr);
      return () => number() !== 0;
    }
    const value = this.value(expr);
    return () => toBoolean(value());
  }

  #compare(op: Parameters<typeof compareNumeric>[0], left: Expr, right: Expr): () => boolean {
    const { conventions } = this.machine.state;
    const kinds = [kindOf(left), kindOf(right)];
    if (kinds[0] === "number" && kinds[1] === "number") {
      return compareNumeric(op, this.number(left), this.number(right));
    }
    if (kinds.includes("text")) {
      const [a, b] = [this.text(left), this.text(right)];
      return compareOrder(op, () => compareTexts(a(), b(), conventions));
    }
    if (left.kind === "field" && kinds[1] === "number") return this.#compareField(op, left.index, right);
    const [a, b] = [this.value(left), this.value(right)];
    return compareOrder(op, () => compareValues(a(), b(), conventions));
  }

  /** The usual comparison, of a field with a number. */
  #compareField(op: Parameters<typeof compareNumeric>[0], indexExpr: Expr, right: Expr): () => boolean {
    const { conventions, record } = this.machine.state;
    const [index, number] = [this.number(indexExpr), this.number(right)];
    return compareOrder(op, () => {
      const at = Math.trunc(index());
      const field = record.numericOf(at);
      const wanted = number();
      if (field !== undefined) return compareNumbers(field, wanted);
      return compareTexts(record.textOf(at), toText(wanted, conventions), conventions);
    });
  }

  /** An expression as a pattern: itself if it is one, else its text. */
  pattern(expr: Expr): () => Pattern {
    if (expr.kind === "group") return this.pattern(expr.parts[0]);
    const { patterns } = this.machine.state;
    if (expr.kind === "regex") {
      const { source } = expr;
      let pattern = patterns.get(source);
      let { ignoreCase } = patterns;
      return () => {
        if (patterns.ignoreCase !== ignoreCase) {
          ({ ignoreCase } = patterns);
          pattern = patterns.get(source);
        }
        return pattern;
      };
    }
    const text = this.text(expr);
    return () => patterns.get(text());
  }

  /** The key of an element. */
  key(keys: Expr[]): () => string {
    if (keys.length === 1) return this.text(keys[0]);
    const { state } = this.machine;
    const texts = keys.map((key) => this.text(key));
    return () => texts.map((text) => text()).join(state.keySeparator);
  }

  /** An array, made if there is none. */
  array(expr: ArrayExpr): () => AwkArray {
    const { machine } = this;
    if (expr.kind === "element") {
      const [outer, key] = [this.array(expr.array), this.key(expr.keys)];
      return () => {
        const { map } = outer();
        const name = key();
        const found = map.get(name);
        if (found instanceof AwkArray) return found;
        if (found !== undefined) throw new AwkError(`attempt to use scalar element ["${name}"] as an array`);
        const made = new AwkArray();
        map.set(name, made);
        return made;
      };
    }
    const { slot, name } = expr;
    if (slot < 0) {
      const array = machine.state.array(name);
      return () => array;
    }
    return () => {
      const found = machine.locals[slot];
      if (found instanceof AwkArray) return found;
      if (found !== undefined) throw new AwkError(`attempt to use scalar parameter \`${name}' as an array`);
      return (machine.locals[slot] = new AwkArray()) as AwkArray;
    };
  }

  /** What is handed to a parameter of a function: a value, or an array itself. */
  argument(expr: Expr, wantsArray: boolean): () => Slot {
    const { machine } = this;
    if (expr.kind === "name") {
      if (wantsArray && expr.slot >= 0) {
        const { slot } = expr;
        return () => (machine.locals[slot] ??= new AwkArray()) as Slot;
      }
      if (wantsArray || expr.slot < 0 && this.names.globals.get(expr.name)) return this.array(expr);
      const { slot } = expr;
      return slot < 0 ? this.#variable(expr) : () => machine.locals[slot] as Slot;
    }
    if (expr.kind !== "element") return this.value(expr);
    const [array, key] = [this.array(expr.array), this.key(expr.keys)];
    return () => {
      const { map } = array();
      const name = key();
      if (wantsArray && map.get(name) === undefined) map.set(name, new AwkArray());
      return readElement(map, name);
    };
  }

  /** Something that can be read and set. */
  reference(target: Parameters<typeof referTo>[1]): Reference {
    return referTo(this, target);
  }

  builtin(name: string): (typeof BUILTIN_FUNCTIONS)[string] {
    const found = BUILTIN_FUNCTIONS[name];
    if (!found) throw new AwkError(`function \`${name}' is not supported`);
    return found;
  }

  /** The name of a variable that is no array. */
  #scalarName(expr: NameExpr): string {
    if (this.names.globals.get(expr.name)) {
      throw new AwkError(`attempt to use array \`${expr.name}' in a scalar context`);
    }
    return expr.name;
  }

  #variable(expr: NameExpr): () => Value {
    const { machine } = this;
    const { slot } = expr;
    if (slot >= 0) return () => machine.locals[slot] as Value;
    const cell = machine.state.cell(this.#scalarName(expr));
    return () => cell.value as Value;
  }

  #element(arrayExpr: ArrayExpr, keys: Expr[]): () => Value {
    const [array, key] = [this.array(arrayExpr), this.key(keys)];
    return () => asScalar(readElement(array().map, key()));
  }
}

/** An element, which exists once it has been looked at. */
export function readElement(map: Map<string, Slot>, key: string): Slot {
  const found = map.get(key);
  if (found === undefined && !map.has(key)) map.set(key, undefined);
  return found;
}

function joinTexts(texts: (() => string)[]): () => string {
  const [a, b, c] = texts;
  if (texts.length === 2) return () => a() + b();
  if (texts.length === 3) return () => a() + b() + c();
  return () => {
    let all = "";
    for (const text of texts) all += text();
    return all;
  };
}

function isTest(expr: Expr): boolean {
  return ["compare", "match", "regex", "in", "logic"].includes(expr.kind);
}

/** What is known of a value before the program runs. */
export function kindOf(expr: Expr): "number" | "text" | "any" {
  switch (expr.kind) {
    case "number":
    case "arithmetic":
    case "unary":
    case "step":
      return "number";
    case "string":
    case "concat":
      return "text";
    case "assign":
      return expr.op === "" ? "any" : "number";
    case "builtin":
      return BUILTIN_FUNCTIONS[expr.name]?.kind ?? "any";
    case "group":
      return kindOf(expr.parts[0]);
    default:
      return isTest(expr) ? "number" : "any";
  }
}
