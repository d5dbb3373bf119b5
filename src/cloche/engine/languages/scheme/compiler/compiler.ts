/** Expressions to code: names are looked up and macros expanded once. */

import { bindThen, compileCall, primitiveCall } from "./calls.ts";
import { findNearestName } from "../../../text/nearest_name.ts";
import { addLocation, Condition, Raised, raiseFailure, Site, type Source } from "../vm/errors.ts";
import type { Vm } from "../vm/vm.ts";
import {
  makeAssignment,
  makeClosure,
  makeConstant,
  makeGlobalReference,
  makeReference,
  makeSequence,
  type Node,
  withFrame,
} from "./nodes.ts";
import { Lambda, Primitive } from "../vm/procedures.ts";
import {
  type Alias,
  type Binding,
  Cell,
  Environment,
  frameDistance,
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
} from "../syntax/scope.ts";
import { itemsOf, Nil, Pair, type Value } from "../vm/values.ts";

/** What compiling needs of the rest of the interpreter. */
export interface CompilerWorld {
  vm: Vm;
  /** A name that means what it means to the system, whatever the program did to it. */
  system(name: string): Alias;
  /** The data of a file that is included. */
  include(path: string, fold: boolean): { source: Source; data: Value[] };
  features: string[];
  /** Names that exist without being defined. */
  names(): Iterable<string>;
  hasLibrary(name: Value): boolean;
  /** Makes the names known; the code runs what the libraries contain. */
  importSets(sets: Value[], into: Environment): Node;
  defineLibrary(form: Pair, compiler: Compiler): void;
}

export class Compiler {
  #procedure: string | null = null;

  constructor(readonly world: CompilerWorld, readonly source: Source) {}

  get vm(): Vm {
    return this.world.vm;
  }

  site(at: number): Site {
    return new Site(this.source, at, this.#procedure);
  }

  place(form: Value, otherwise: number): number {
    return this.source.marks.get(form as object) ?? otherwise;
  }

  compile(form: Value, scope: Scope, tail: boolean, at: number): Node {
    if (isName(form)) return this.#variable(form, scope, at);
    if (form instanceof Pair) return this.#form(form, scope, tail, this.place(form, at));
    if (form instanceof Nil) {
      throw this.#at(raiseFailure("SyntaxError", "() is no expression; the empty list is '()"), at);
    }
    return makeConstant(stripAliases(form));
  }

  #form(form: Pair, scope: Scope, tail: boolean, at: number): Node {
    try {
      const binding = isName(form.car) ? lookUpName(form.car, scope) : null;
      if (binding instanceof Special) return binding.compile(form, { compiler: this, scope, tail, at });
      if (binding instanceof Macro) {
        this.vm.step();
        return this.compile(binding.expand(form, scope), scope, tail, at);
      }
      return this.#call(form, binding, scope, tail, at);
    } catch (error) {
      throw this.#at(error, at);
    }
  }

  #at(error: unknown, at: number): unknown {
    if (error instanceof RangeError) {
      return addLocation(
        raiseFailure("SyntaxError", "nested too deeply, or macros that expand without end"),
        this.site(at),
      );
    }
    if (error instanceof Raised && error.payload instanceof Condition && error.payload.type === "WrongType") {
      // A form that is not a proper list.
      return addLocation(
        raiseFailure("SyntaxError", error.payload.message, ...error.payload.irritants.map(stripAliases)),
        this.site(at),
      );
    }
    return addLocation(error, this.site(at));
  }

  #call(form: Pair, binding: Binding | null, scope: Scope, tail: boolean, at: number): Node {
    const operands: Node[] = [];
    let rest = form.cdr;
    for (; rest instanceof Pair; rest = rest.cdr) {
      operands.push(this.compile(rest.car, scope, false, this.place(rest, at)));
    }
    if (!(rest instanceof Nil)) throw raiseFailure("SyntaxError", "a call is a proper list:", stripAliases(form));
    const site = this.site(at);
    if (binding instanceof Cell && !binding.open && binding.value instanceof Primitive) {
      const { control, min, max } = binding.value;
      if (!control && operands.length >= min && operands.length <= max) {
        return primitiveCall(this.vm, binding, binding.value, operands, site);
      }
    }
    const operator = this.compile(form.car, scope, false, form.car instanceof Pair ? at : at + 1);
    if (tail && operator.lambda && operator.lambda.arity === operands.length) {
      return bindThen(this.vm, operands, inlined(operator.lambda), site);
    }
    return compileCall(this.vm, operator, operands, tail, site);
  }

  #variable(name: Name, scope: Scope, at: number): Node {
    const binding = lookUpName(name, scope);
    if (binding instanceof Local) {
      const check = binding.checked ? this.site(at) : null;
      return makeReference(frameDistance(scope, binding.scope), binding.index, binding.name, check);
    }
    if (binding instanceof Cell) return makeGlobalReference(binding, () => this.unbound(binding, scope, at));
    throw this.#at(raiseFailure("SyntaxError", `${binding.name} is a form, it is no variable`), at);
  }

  unbound(cell: Cell, scope: Scope, at: number): Error {
    const error = raiseFailure("UnboundVariable", `the variable ${cell.name} is not defined`);
    const near = findNearestName(cell.name, namesIn(topOf(scope), this.world));
    if (near) (error.payload as Condition).hint = `did you mean ${near}?`;
    return addLocation(error, this.site(at)) as Error;
  }

  /** The forms of a body or a program's `begin`, one after the other. */
  sequence(forms: Value, scope: Scope, tail: boolean, at: number): Node {
    const [nodes, sites]: [Node[], Site[]] = [[], []];
    let rest = forms;
    for (; rest instanceof Pair; rest = rest.cdr) {
      const here = this.place(rest.car, this.place(rest, at));
      nodes.push(this.compile(rest.car, scope, tail && rest.cdr instanceof Nil, here));
      sites.push(this.site(here));
    }
    if (!(rest instanceof Nil)) throw raiseFailure("SyntaxError", "a body is a proper list:", stripAliases(forms));
    return makeSequence(this.vm, nodes, sites);
  }

  lambda(parameters: Value, body: Value, scope: Scope, name: string | null, at: number): Node {
    const inner = new Inner(scope, true);
    let [rest, required] = [parameters, 0];
    for (; rest instanceof Pair; rest = rest.cdr, required++) this.#parameter(rest.car, inner);
    if (!(rest instanceof Nil)) this.#parameter(rest, inner);
    const lambda = new Lambda(name, required, !(rest instanceof Nil));
    const outer = this.#procedure;
    this.#procedure = name ?? outer;
    const node = this.body(body, inner, true, at);
    this.#procedure = outer;
    lambda.body = node.code;
    lambda.weight = node.weight + 2;
    return makeClosure(lambda);
  }

  #parameter(name: Value, scope: Inner): void {
    if (!isName(name)) throw raiseFailure("SyntaxError", "a parameter is a name, this is none:", stripAliases(name));
    if (scope.names.has(name)) throw raiseFailure("SyntaxError", "a parameter is named twice:", symbolOf(name));
    scope.add(name);
  }

  /** Definitions, then expressions; the definitions are the variables of a frame of their own. */
  body(forms: Value, outer: Scope, tail: boolean, at: number): Node {
    const scope = new Inner(outer, false);
    const items: Item[] = [];
    this.#scan(forms, scope, items, at);
    if (items.length === 0) throw raiseFailure("SyntaxError", "a body needs an expression");
    scope.frame = scope.locals.length > 0;
    checkUnsafe(items);
    const nodes = items.map((item, i) => item.compile(tail && i === items.length - 1));
    const node = makeSequence(this.vm, nodes, items.map((item) => this.site(item.at)));
    return scope.frame ? withFrame(scope.locals.length, node) : node;
  }

  #scan(forms: Value, scope: Inner, items: Item[], at: number): void {
    let rest = forms;
    for (; rest instanceof Pair; rest = rest.cdr) {
      const here = this.place(rest.car, this.place(rest, at));
      try {
        this.#scanForm(rest.car, scope, items, here);
      } catch (error) {
        throw this.#at(error, here);
      }
    }
    if (!(rest instanceof Nil)) throw raiseFailure("SyntaxError", "a body is a proper list:", stripAliases(forms));
  }

  #scanForm(form: Value, scope: Inner, items: Item[], at: number): void {
    for (;;) {
      const binding = form instanceof Pair && isName(form.car) ? lookUpName(form.car, scope) : null;
      if (binding instanceof Macro) {
        this.vm.step();
        form = binding.expand(form as Pair, scope);
        continue;
      }
      const scan = binding instanceof Special ? SCANNED.get(binding.name) : undefined;
      if (scan) {
        return scan(form as Pair, {
          compiler: this,
          scope,
          items,
          at,
          forms: (more) => this.#scan(more, scope, items, at),
        });
      }
      const expression = form;
      items.push({ at, locals: [], safe: false, compile: (tail) => this.compile(expression, scope, tail, at) });
      return;
    }
  }

  /** Gives a variable of a body its value. */
  assignLocal(local: Local, scope: Scope, value: Node, at: number): Node {
    return makeAssignment(this.vm, frameDistance(scope, local.scope), local.index, value, this.site(at));
  }

  /** The value of a definition; a procedure is named after its variable. */
  named(form: Value, name: string, scope: Scope, at: number): Node {
    const node = this.compile(form, scope, false, at);
    if (node.lambda && node.lambda.name === null) node.lambda.name = name;
    return node;
  }

  items(form: Value, who: string): Value[] {
    return itemsOf(form, who);
  }
}

/** A form of a body: an expression, or a definition of these variables. */
interface Item {
  at: number;
  locals: Local[];
  /** Its value is made without running anything of the program. */
  safe: boolean;
  compile(tail: boolean): Node;
}

interface Scan {
  compiler: Compiler;
  scope: Inner;
  items: Item[];
  at: number;
  /** Continues with the forms that replace this one. */
  forms(more: Value): void;
}

/** What definitions do in a body; filled by the forms themselves. */
export const SCANNED = new Map<string, (form: Pair, scan: Scan) => void>();

/** Variables that are defined after something was run may be read too early. */
function checkUnsafe(items: Item[]): void {
  const start = items.findIndex((item) => !item.safe);
  if (start < 0) return;
  for (const item of items.slice(start)) for (const local of item.locals) local.checked = true;
}

function inlined(lambda: Lambda): Node {
  return { code: lambda.body, simple: false, weight: lambda.weight };
}

function namesIn(environment: Environment, world: CompilerWorld): Set<string> {
  const names = new Set<string>();
  for (const [name, binding] of environment.names) {
    if (!(binding instanceof Cell) || typeof binding.value !== "symbol") names.add(name.name);
  }
  for (const name of world.names()) names.add(name);
  return names;
}
