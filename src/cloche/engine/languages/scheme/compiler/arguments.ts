/** Arguments to parameters. */

import { type CaseClosure, type Closure, Env, type Primitive } from "../vm/procedures.ts";
import { arityError } from "../error_reports.ts";
import { listOf, type Value } from "../vm/values.ts";

export function bindArguments(closure: Closure, args: Value[]): Env {
  const { required, rest } = closure.lambda;
  if (args.length < required || args.length > required && !rest) throw arityError(closure, args.length);
  if (rest) args = [...args.slice(0, required), listOf(args, undefined, required)];
  return new Env(closure.env, args[0], args[1], args[2], args[3], args.length > 4 ? args.slice(4) : null);
}

export function applyPrimitive(primitive: Primitive, args: Value[]): Value {
  if (args.length < primitive.min || args.length > primitive.max) throw arityError(primitive, args.length);
  return primitive.spread ? primitive.call(args) : primitive.call(...args);
}

/** The first case that takes this many. */
export function chooseClause(closure: CaseClosure, args: Value[]): Closure {
  for (const each of closure.cases) {
    const { required, rest } = each.lambda;
    if (args.length === required || rest && args.length > required) return each;
  }
  throw arityError(closure, args.length);
}
