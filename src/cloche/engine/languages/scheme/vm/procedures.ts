/** Procedures: primitives, closures, continuations, parameters. */

import type { Frame } from "./vm.ts";
import type { State } from "./dynamic_state.ts";
import type { Value } from "./values.ts";

/** The variables of one activation: the first four in place, the others in an array. */
export class Env {
  constructor(
    public up: Env | null,
    public a: Value,
    public b: Value,
    public c: Value,
    public d: Value,
    public more: Value[] | null,
  ) {}
}

/** Compiled code: returns a value, or TAIL or UNWIND. */
export type Code = (env: Env) => Value;

export class Lambda {
  body: Code = () => undefined;
  /** About how much of JavaScript's stack an activation takes. */
  weight = 1;
  /** The number of arguments when it is fixed and all are held in place, else -1. */
  readonly arity: number;

  constructor(public name: string | null, readonly required: number, readonly rest: boolean) {
    this.arity = rest || required > 4 ? -1 : required;
  }
}

export class Closure {
  constructor(readonly lambda: Lambda, readonly env: Env) {}
}

export class CaseClosure {
  constructor(readonly cases: Closure[], readonly name: string | null) {}
}

// deno-lint-ignore no-explicit-any -- each primitive declares the arguments it takes
export type Native = (...args: any[]) => Value;

/** A procedure of the host. */
export class Primitive {
  constructor(
    readonly name: string,
    readonly min: number,
    readonly max: number,
    readonly call: Native,
    /** Takes its arguments as one array. */
    readonly spread: boolean,
    /** May give TAIL or UNWIND. */
    readonly control: boolean,
    /** The case of two arguments of one that spreads. */
    readonly two: Native | null = null,
  ) {}
}

export class Continuation {
  constructor(readonly frame: Frame | null, readonly state: State) {}
}

export class Parameter {
  constructor(public value: Value, readonly convert: Value) {}
}

export function isProcedure(value: Value): boolean {
  return value instanceof Closure || value instanceof Primitive || value instanceof CaseClosure ||
    value instanceof Continuation || value instanceof Parameter;
}

export function nameOf(value: Value): string | null {
  if (value instanceof Closure) return value.lambda.name;
  return value instanceof Primitive || value instanceof CaseClosure ? value.name : null;
}
