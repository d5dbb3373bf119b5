/** Forms that bind variables. */

import { bindThen, compileCall } from "../compiler/calls.ts";
import { CaseClosure, Closure, Lambda } from "../vm/procedures.ts";
import { makeAssignment, makeClosure, makeReference, makeSequence, type Node, withFrame } from "../compiler/nodes.ts";
import { Alias, Inner, isName, type Name, type Scope, symbolOf, type Use } from "../syntax/scope.ts";
import { internSymbol, itemsOf, listOf, makeList, NIL, Pair, type Value } from "../vm/values.ts";
import { compileBody, type Forms, partsOf, syntaxError } from "./core.ts";

interface Bindings {
  names: Name[];
  values: Value[];
  places: number[];
}

function bindings(form: Value, whole: Pair, { compiler, at }: Use): Bindings {
  const result: Bindings = { names: [], values: [], places: [] };
  for (const each of itemsOf(form, "let")) {
    const [name, value, ...more] = itemsOf(each, "let");
    if (!isName(name) || (each as Pair).cdr === NIL || more.length > 0) {
      throw syntaxError("a binding is (name value):", each);
    }
    result.names.push(name);
    result.values.push(value);
    result.places.push(compiler.place((each as Pair).cdr, compiler.place(each, at)));
  }
  if (compileBody(whole, 2) === NIL) throw syntaxError("a body needs an expression:", whole);
  return result;
}

function inits({ names, values, places }: Bindings, scope: Scope, { compiler }: Use): Node[] {
  return values.map((value, i) => compiler.named(value, symbolOf(names[i]).name, scope, places[i]));
}

function distinct(names: Name[], form: Value): void {
  if (new Set(names).size < names.length) throw syntaxError("a variable is bound twice:", form);
}

function letForm(form: Pair, use: Use): Node {
  const { compiler, scope, tail, at } = use;
  const [first] = partsOf(form, 2);
  if (isName(first)) return namedLet(form, first, use);
  const bound = bindings(first, form, use);
  if (bound.names.length === 0) return compiler.body(compileBody(form, 2), scope, tail, at);
  distinct(bound.names, form);
  const inner = new Inner(scope, true);
  for (const name of bound.names) inner.add(name);
  const values = inits(bound, scope, use);
  return bindThen(compiler.vm, values, compiler.body(compileBody(form, 2), inner, tail, at), compiler.site(at));
}

/** The loop's name is in a frame around the procedure; the first arguments do not see it. */
function namedLet(form: Pair, name: Name, use: Use): Node {
  const { compiler, scope, tail, at } = use;
  const bound = bindings(partsOf(form, 3)[1], compileBody(form, 1) as Pair, use);
  distinct(bound.names, form);
  const [around, blind] = [new Inner(scope, true), new Inner(scope, true)];
  around.add(name);
  const loop = compiler.lambda(listOf(bound.names), compileBody(form, 3), around, symbolOf(name).name, at);
  const site = compiler.site(at);
  const m = compiler.vm;
  const enter = compileCall(m, makeReference(0, 0, symbolOf(name).name, null), inits(bound, blind, use), tail, site);
  return withFrame(1, makeSequence(m, [makeAssignment(m, 0, 0, loop, site), enter], [site, site]));
}

function letStar(form: Pair, use: Use): Node {
  const { compiler, scope, tail, at } = use;
  const all = itemsOf(partsOf(form, 2)[0], "let*");
  if (all.length === 0) return compiler.body(compileBody(form, 2), scope, tail, at);
  const { world } = compiler;
  const rest = all.length === 1
    ? compileBody(form, 2)
    : makeList(new Pair(world.system("let*"), new Pair(listOf(all.slice(1)), compileBody(form, 2))));
  return letForm(new Pair(form.car, new Pair(makeList(all[0]), rest)), use);
}

function letrec(form: Pair, use: Use): Node {
  const { compiler, scope, tail, at } = use;
  const bound = bindings(partsOf(form, 2)[0], form, use);
  distinct(bound.names, form);
  const inner = new Inner(scope, true);
  const locals = bound.names.map((name) => inner.add(name));
  for (const local of locals) local.checked = true;
  const sites = bound.places.map((place) => compiler.site(place));
  const values = inits(bound, inner, use);
  if (values.every((value) => value.lambda)) { for (const local of locals) local.checked = false; }
  const steps = values.map((value, i) => makeAssignment(compiler.vm, 0, i, value, sites[i]));
  const last = compiler.body(compileBody(form, 2), inner, tail, at);
  return withFrame(locals.length, makeSequence(compiler.vm, [...steps, last], sites));
}

/** A named let whose name is used nowhere else. */
function doLoop(form: Pair, use: Use): Node {
  const { compiler, scope } = use;
  const { world } = compiler;
  const [specs, exit] = partsOf(form, 2);
  const loop = new Alias(internSymbol("do-loop"), scope);
  const [variables, steps]: [Value[], Value[]] = [[], []];
  for (const spec of itemsOf(specs, "do")) {
    const [name, init, step, ...more] = itemsOf(spec, "do");
    if (!isName(name) || init === undefined || more.length > 0) {
      throw syntaxError("a variable of do is (name init step):", spec);
    }
    variables.push(makeList(name, init));
    steps.push(step === undefined ? name : step);
  }
  const [test, ...results] = itemsOf(exit, "do");
  if (test === undefined) throw syntaxError("do needs (test result ...):", form);
  const again = new Pair(loop, listOf(steps));
  const begin = world.system("begin");
  const then = results.length > 0 ? new Pair(begin, listOf(results)) : makeList(world.system("if"), false, false);
  const otherwise = new Pair(begin, listOf(itemsOf(compileBody(form, 3), "do"), makeList(again)));
  const choice = makeList(world.system("if"), test, then, otherwise);
  return namedLet(makeList(form.car, loop, listOf(variables), choice) as Pair, loop, use);
}

function caseLambda(form: Pair, { compiler, scope, at }: Use): Node {
  const lambdas = itemsOf(form.cdr, "case-lambda").map((clause) => {
    if (!(clause instanceof Pair)) throw syntaxError("a clause of case-lambda is (parameters body ...):", clause);
    return compiler.lambda(clause.car, clause.cdr, scope, null, at).lambda as Lambda;
  });
  return {
    code: (env) => new CaseClosure(lambdas.map((lambda) => new Closure(lambda, env)), null),
    simple: true,
    weight: 1,
  };
}

export const BINDING: Forms = {
  "let": letForm,
  "let*": letStar,
  "letrec": letrec,
  "letrec*": letrec,
  "do": doLoop,
  "case-lambda": caseLambda,
  "named-lambda": (form, { compiler, scope, at }) => {
    const target = partsOf(form, 2)[0];
    if (!(target instanceof Pair && isName(target.car))) {
      throw syntaxError("named-lambda needs (name parameter ...):", form);
    }
    const node = compiler.lambda(target.cdr, compileBody(form, 2), scope, symbolOf(target.car).name, at);
    return node.lambda ? makeClosure(node.lambda) : node;
  },
};
