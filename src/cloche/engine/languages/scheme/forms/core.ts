/** The core forms, which all others expand to, and definitions. */

import { SCANNED } from "../compiler/compiler.ts";
import { raiseFailure } from "../vm/errors.ts";
import { consumeValue, makeConditional, makeConstant, makeGlobalAssignment, type Node } from "../compiler/nodes.ts";
import { macroOf } from "../syntax/syntax_rules.ts";
import {
  Cell,
  Environment,
  Inner,
  isName,
  Local,
  lookUpName,
  Macro,
  type Name,
  type Scope,
  Special,
  stripAliases,
  symbolOf,
  topOf,
  type Use,
} from "../syntax/scope.ts";
import { itemsOf, NIL, Pair, type Value, Values } from "../vm/values.ts";

export type Forms = Record<string, (form: Pair, use: Use) => Node>;

export function syntaxError(message: string, form: Value): Error {
  return raiseFailure("SyntaxError", message, stripAliases(form));
}

/** The parts after the keyword, with their smallest and largest number. */
export function partsOf(form: Pair, min: number, max = Infinity): Value[] {
  const parts = itemsOf(form.cdr, symbolOf(form.car as Name).name);
  if (parts.length < min || parts.length > max) throw syntaxError("this form has the wrong number of parts:", form);
  return parts;
}

export function compileBody(form: Pair, count: number): Value {
  let rest: Value = form;
  for (; count > 0; count--) rest = (rest as Pair).cdr;
  return rest;
}

/** What a definition names and how its value is compiled; `(define ((f a) b) ...)` makes a procedure of procedures. */
function definition(form: Pair, use: { compiler: Use["compiler"]; scope: Scope; at: number }) {
  const { compiler, at } = use;
  const parts = partsOf(form, 1);
  let [target, forms, curried] = [parts[0], compileBody(form, 2), false];
  while (target instanceof Pair && target.car instanceof Pair) {
    forms = new Pair(new Pair(compiler.world.system("lambda"), new Pair(target.cdr, forms)), NIL);
    target = target.car;
    curried = true;
  }
  if (target instanceof Pair && isName(target.car)) {
    const { car: name, cdr: parameters } = target;
    const text = symbolOf(name).name;
    return { name, safe: true, node: () => compiler.lambda(parameters, forms, use.scope, text, at) };
  }
  if (!isName(target) || curried || parts.length > 2) throw syntaxError("a definition is (define name value):", form);
  const [name, value] = [target, parts[1]];
  return {
    name,
    safe: isSafe(value, use.scope),
    node: () => compiler.named(value, symbolOf(name).name, use.scope, at),
  };
}

function isSafe(value: Value, scope: Scope): boolean {
  if (!(value instanceof Pair)) return !isName(value);
  if (!isName(value.car)) return false;
  const binding = lookUpName(value.car, scope);
  return binding instanceof Special && ["lambda", "case-lambda", "quote"].includes(binding.name);
}

function declare(name: Name, scope: Inner): Local {
  const known = scope.names.get(name);
  return known instanceof Local && known.scope === scope ? known : scope.add(name);
}

function assignment(form: Pair, use: Use): Node {
  const { compiler, scope, at } = use;
  const [name, value] = partsOf(form, 2, 2);
  if (!isName(name)) throw syntaxError("set! needs the name of a variable:", form);
  const binding = lookUpName(name, scope);
  const node = compiler.named(value, symbolOf(name).name, scope, at);
  if (binding instanceof Local) return compiler.assignLocal(binding, scope, node, at);
  if (!(binding instanceof Cell)) throw syntaxError("set! needs the name of a variable:", form);
  binding.open = true;
  return makeGlobalAssignment(
    compiler.vm,
    binding,
    node,
    compiler.site(at),
    () => compiler.unbound(binding, scope, at),
  );
}

/** Distributes several values to this many receivers. */
function spread(value: Value, required: number, rest: boolean): Value[] {
  const list = value instanceof Values ? value.list : [value];
  if (list.length < required || list.length > required && !rest) {
    throw raiseFailure("ArityError", `expected ${required} values, got ${list.length}`);
  }
  if (!rest) return list;
  return [
    ...list.slice(0, required),
    list.slice(required).reduceRight((tail, item) => new Pair(item, tail), NIL as Value),
  ];
}

function formals(form: Value): { names: Name[]; rest: boolean } {
  const names: Value[] = [];
  let rest = form;
  for (; rest instanceof Pair; rest = rest.cdr) names.push(rest.car);
  if (rest !== NIL) names.push(rest);
  if (!names.every(isName)) throw syntaxError("define-values needs names:", form);
  return { names, rest: rest !== NIL };
}

function defineValues(form: Pair, { compiler, scope, at }: Use): Node {
  const [targets, value] = partsOf(form, 2, 2);
  const { names, rest } = formals(targets);
  const cells = names.map((name) => compileTopLevel(scope, form).define(name));
  return consumeValue(compiler.vm, compiler.compile(value, scope, false, at), (value) => {
    spread(value, names.length - (rest ? 1 : 0), rest).forEach((each, i) => cells[i].value = each);
  }, compiler.site(at));
}

export function compileTopLevel(scope: Scope, form: Value): Environment {
  if (scope instanceof Environment) return scope;
  throw syntaxError("a definition is not allowed here; it belongs at the beginning of a body:", form);
}

function makeTransformer(form: Value, scope: Scope, name: string): Macro | Special {
  if (isName(form)) {
    const binding = lookUpName(form, scope);
    if (binding instanceof Macro || binding instanceof Special) return binding;
  }
  const head = form instanceof Pair && isName(form.car) ? lookUpName(form.car, scope) : null;
  if (form instanceof Pair && head instanceof Special && head.name === "syntax-rules") {
    return macroOf(form, scope, name);
  }
  if (form instanceof Pair && head instanceof Macro) return makeTransformer(head.expand(form, scope), scope, name);
  throw syntaxError("a macro is made by (syntax-rules (literals ...) (pattern template) ...), not by", form);
}

function defineSyntax(form: Pair, scope: Scope): void {
  const [name, rules] = partsOf(form, 2, 2);
  if (!isName(name)) throw syntaxError("define-syntax needs a name:", form);
  const macro = makeTransformer(rules, scope, symbolOf(name).name);
  if (scope instanceof Environment) scope.bind(name, macro);
  else scope.names.set(name, macro);
}

function localSyntax(recursive: boolean) {
  return (form: Pair, { compiler, scope, tail, at }: Use): Node => {
    const inner = new Inner(scope, false);
    for (const each of itemsOf(partsOf(form, 2)[0], "let-syntax")) {
      const [name, rules] = itemsOf(each, "let-syntax");
      if (!isName(name)) throw syntaxError("let-syntax needs names:", form);
      inner.names.set(name, makeTransformer(rules, recursive ? inner : scope, symbolOf(name).name));
    }
    return compiler.body(compileBody(form, 2), inner, tail, at);
  };
}

export const CORE: Forms = {
  "quote": (form) => makeConstant(stripAliases(partsOf(form, 1, 1)[0])),
  "if": (form, { compiler, scope, tail, at }) => {
    const parts = partsOf(form, 2, 3);
    const at2 = (i: number) => compiler.place(compileBody(form, i), at);
    return makeConditional(
      compiler.vm,
      compiler.compile(parts[0], scope, false, at2(1)),
      compiler.compile(parts[1], scope, tail, at2(2)),
      parts.length > 2 ? compiler.compile(parts[2], scope, tail, at2(3)) : makeConstant(undefined),
      compiler.site(at),
    );
  },
  "set!": assignment,
  "lambda": (form, { compiler, scope, at }) =>
    compiler.lambda(partsOf(form, 2)[0], compileBody(form, 2), scope, null, at),
  "begin": (form, { compiler, scope, tail, at }) => compiler.sequence(form.cdr, scope, tail, at),
  "define": (form, use) => {
    const { compiler, scope, at } = use;
    const top = compileTopLevel(scope, form);
    const { name, node } = definition(form, use);
    const cell = top.define(name);
    return makeGlobalAssignment(compiler.vm, cell, node(), compiler.site(at), null);
  },
  "define-values": defineValues,
  "define-syntax": (form, { scope }) => {
    defineSyntax(form, topOf(scope) === scope ? scope : compileTopLevel(scope, form));
    return makeConstant(undefined);
  },
  "let-syntax": localSyntax(false),
  "letrec-syntax": localSyntax(true),
  "syntax-error": (form) => {
    const [message, ...irritants] = partsOf(form, 1);
    throw raiseFailure("SyntaxError", String(message), ...irritants.map(stripAliases));
  },
};

SCANNED.set("begin", (form, { forms }) => forms(form.cdr));
SCANNED.set("define-syntax", (form, { scope }) => defineSyntax(form, scope));
SCANNED.set("define", (form, { compiler, scope, items, at }) => {
  const { name, safe, node } = definition(form, { compiler, scope, at });
  const local = declare(name, scope);
  items.push({ at, locals: [local], safe, compile: () => compiler.assignLocal(local, scope, node(), at) });
});
SCANNED.set("define-values", (form, { compiler, scope, items, at }) => {
  const [targets, value] = partsOf(form, 2, 2);
  const { names, rest } = formals(targets);
  const locals = names.map((name) => declare(name, scope));
  const compile = () => {
    const setters = locals.map((local) => {
      let held: Value;
      const node = compiler.assignLocal(local, scope, { code: () => held, simple: true, weight: 1 }, at);
      return (env: Parameters<typeof node.code>[0], each: Value) => {
        held = each;
        node.code(env);
      };
    });
    return consumeValue(compiler.vm, compiler.compile(value, scope, false, at), (value, env) => {
      spread(value, names.length - (rest ? 1 : 0), rest).forEach((each, i) => setters[i](env, each));
    }, compiler.site(at));
  };
  items.push({ at, locals, safe: false, compile });
});
