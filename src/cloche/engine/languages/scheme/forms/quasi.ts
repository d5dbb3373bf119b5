/** Quasiquotation: the parts that are not replaced stay constants. */

import { isName, sameMeaning, stripAliases, type Use } from "../syntax/scope.ts";
import { listOf, makeList, NIL, Pair, type Value } from "../vm/values.ts";
import { type Forms, partsOf, syntaxError } from "./core.ts";

/** An expression that returns the datum; null if it is a constant. */
function build(datum: Value, depth: number, use: Use): Value | null {
  if (Array.isArray(datum)) {
    const items = build(listOf(datum), depth, use);
    return items === null ? null : makeList(use.compiler.world.system("list->vector"), open(items));
  }
  if (!(datum instanceof Pair)) return null;
  if (is(datum, "unquote", use)) {
    const inner = (datum.cdr as Pair).car;
    return depth === 1 ? { expression: inner } as Wrapped as Value : nested(datum, depth - 1, use);
  }
  if (depth === 1 && is(datum, "unquote-splicing", use)) {
    throw syntaxError("unquote-splicing belongs in a list:", datum);
  }
  if (is(datum, "quasiquote", use)) return nested(datum, depth + 1, use);
  const { car, cdr } = datum;
  if (depth === 1 && car instanceof Pair && is(car, "unquote-splicing", use)) {
    return makeList(use.compiler.world.system("append"), (car.cdr as Pair).car, whole(cdr, depth, use));
  }
  const inner = car instanceof Pair && is(car, "unquote-splicing", use)
    ? nested(car, depth - 1, use)
    : build(car, depth, use);
  const rest = build(cdr, depth, use);
  if (inner === null && rest === null) return null;
  return makeList(
    use.compiler.world.system("cons"),
    inner === null ? quoted(car, use) : open(inner),
    rest === null ? quoted(cdr, use) : open(rest),
  );
}

/** An expression of the user's own, which may be anything, also null. */
interface Wrapped {
  expression: Value;
}

function open(built: Value): Value {
  return typeof built === "object" && built !== null && "expression" in built ? (built as Wrapped).expression : built;
}

function whole(datum: Value, depth: number, use: Use): Value {
  const built = build(datum, depth, use);
  return built === null ? quoted(datum, use) : open(built);
}

function quoted(datum: Value, { compiler }: Use): Value {
  return datum === NIL || datum instanceof Pair || isName(datum)
    ? makeList(compiler.world.system("quote"), datum)
    : datum;
}

/** The quotation itself is data; what it quotes is one level further in or out. */
function nested(datum: Pair, depth: number, use: Use): Value | null {
  const rest = build(datum.cdr, depth, use);
  return rest === null ? null : makeList(use.compiler.world.system("cons"), quoted(datum.car, use), open(rest));
}

function is(datum: Pair, word: string, { compiler, scope }: Use): boolean {
  if (!isName(datum.car) || !(datum.cdr instanceof Pair) || datum.cdr.cdr !== NIL) return false;
  const own = compiler.world.system(word);
  return sameMeaning(datum.car, scope, own, own.scope);
}

export const QUASI: Forms = {
  "quasiquote": (form, use) => {
    const [datum] = partsOf(form, 1, 1);
    const built = build(datum, 1, use);
    const { compiler, scope, tail, at } = use;
    const expression = built === null ? makeList(compiler.world.system("quote"), stripAliases(datum)) : open(built);
    return compiler.compile(expression, scope, tail, at);
  },
};
