/** Conditional forms: cond, case, and, or, when, unless. */

import { Ratio, Real } from "../numbers/numbers.ts";
import { formatNumber } from "../numbers/numerals.ts";
import { consumeValue, makeConditional, makeConstant, makeLogical, type Node } from "../compiler/nodes.ts";
import { Alias, isName, sameMeaning, stripAliases, type Use } from "../syntax/scope.ts";
import { internSymbol, itemsOf, listOf, makeList, NIL, Pair, type Value } from "../vm/values.ts";
import { compileBody, type Forms, partsOf, syntaxError } from "./core.ts";

function isKeyword(value: Value, word: string, { compiler, scope }: Use): boolean {
  if (!isName(value)) return false;
  const own = compiler.world.system(word);
  return sameMeaning(value, scope, own, own.scope);
}

function chain(isOr: boolean) {
  return (form: Pair, { compiler, scope, tail, at }: Use): Node => {
    const parts = itemsOf(form.cdr, isOr ? "or" : "and");
    if (parts.length === 0) return makeConstant(!isOr);
    const nodes = parts.map((part, i) =>
      compiler.compile(part, scope, tail && i === parts.length - 1, compiler.place(compileBody(form, i + 1), at))
    );
    const site = compiler.site(at);
    return nodes.reduceRight((rest, node) => makeLogical(compiler.vm, node, rest, isOr, site));
  };
}

function guarded(wanted: boolean) {
  return (form: Pair, { compiler, scope, tail, at }: Use): Node => {
    const test = compiler.compile(partsOf(form, 1)[0], scope, false, compiler.place(form.cdr, at));
    const then = compiler.sequence(compileBody(form, 2), scope, tail, at);
    const none = makeConstant(undefined);
    return makeConditional(compiler.vm, test, wanted ? then : none, wanted ? none : then, compiler.site(at));
  };
}

function cond(form: Pair, use: Use): Node {
  const { compiler, scope, tail, at } = use;
  if (form.cdr === NIL) return makeConstant(undefined);
  const { car: clause, cdr: rest } = form.cdr as Pair;
  if (!(clause instanceof Pair)) throw syntaxError("a clause of cond is (test expression ...):", clause);
  const here = compiler.place(clause, at);
  if (isKeyword(clause.car, "else", use)) {
    if (rest !== NIL) throw syntaxError("else is the last clause:", form);
    return compiler.sequence(clause.cdr, scope, tail, here);
  }
  const others = new Pair(form.car, rest);
  const arrow = clause.cdr instanceof Pair && isKeyword(clause.cdr.car, "=>", use);
  if (arrow) return receive(clause, (scope) => ({ form: others, scope }), use);
  const test = compiler.compile(clause.car, scope, false, here);
  const otherwise = cond(others, use);
  const site = compiler.site(here);
  if (clause.cdr === NIL) return makeLogical(compiler.vm, test, otherwise, true, site);
  return makeConditional(compiler.vm, test, compiler.sequence(clause.cdr, scope, tail, here), otherwise, site);
}

/** `(test => receiver)` */
function receive(
  clause: Pair,
  others: (scope: Use["scope"]) => { form: Pair },
  { compiler, scope, tail, at }: Use,
): Node {
  const [test, , receiver, ...more] = itemsOf(clause, "cond");
  if (receiver === undefined || more.length > 0) throw syntaxError("=> is followed by one receiver:", clause);
  const { world } = compiler;
  const kept = new Alias(internSymbol("kept"), scope);
  const choice = makeList(
    world.system("if"),
    kept,
    makeList(receiver, kept),
    new Pair(world.system("cond"), others(scope).form.cdr),
  );
  return compiler.compile(makeList(world.system("let"), makeList(makeList(kept, test)), choice), scope, tail, at);
}

/** A key under which everything that is eqv is found. */
function caseKey(value: Value): Value {
  return value instanceof Real || value instanceof Ratio ? formatNumber(value) : value;
}

function caseForm(form: Pair, use: Use): Node {
  const { compiler, scope, tail, at } = use;
  const [key, ...clauses] = partsOf(form, 1);
  if (clauses.some((clause) => arrowOf(clause, use))) return caseWithArrows(key, clauses, use);
  const table = new Map<Value, Node>();
  let otherwise = makeConstant(undefined);
  for (const clause of clauses) {
    if (!(clause instanceof Pair)) throw syntaxError("a clause of case is ((datum ...) expression ...):", clause);
    const node = compiler.sequence(clause.cdr, scope, tail, compiler.place(clause, at));
    if (isKeyword(clause.car, "else", use)) otherwise = node;
    else {for (const datum of itemsOf(clause.car, "case")) {
        if (!table.has(caseKey(stripAliases(datum)))) table.set(caseKey(stripAliases(datum)), node);
      }}
  }
  const value = compiler.compile(key, scope, false, compiler.place(form.cdr, at));
  const choice = consumeValue(
    compiler.vm,
    value,
    (value, env) => (table.get(caseKey(value)) ?? otherwise).code(env),
    compiler.site(at),
  );
  const nodes = [otherwise, ...table.values()];
  const weight = nodes.reduce((most, node) => Math.max(most, node.weight), choice.weight) + 1;
  return { code: choice.code, simple: choice.simple && nodes.every((node) => node.simple), weight };
}

function arrowOf(clause: Value, use: Use): boolean {
  return clause instanceof Pair && clause.cdr instanceof Pair && isKeyword(clause.cdr.car, "=>", use);
}

function caseWithArrows(key: Value, clauses: Value[], use: Use): Node {
  const { compiler, scope, tail, at } = use;
  const { world } = compiler;
  const kept = new Alias(internSymbol("key"), scope);
  const plain = clauses.map((clause) => {
    if (!arrowOf(clause, use)) return clause;
    const [data, , receiver] = itemsOf(clause, "case");
    return makeList(data, makeList(receiver, kept));
  });
  const choice = new Pair(world.system("case"), new Pair(kept, listOf(plain)));
  return compiler.compile(makeList(world.system("let"), makeList(makeList(kept, key)), choice), scope, tail, at);
}

export const CHOICE: Forms = {
  "and": chain(false),
  "or": chain(true),
  "when": guarded(true),
  "unless": guarded(false),
  "cond": cond,
  "case": caseForm,
};
