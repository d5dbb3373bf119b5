/** Scopes: environments of the top level, scopes inside, and names introduced by macros. */

import type { Node } from "../compiler/nodes.ts";
import type { Compiler } from "../compiler/compiler.ts";
import { internSymbol, Pair, Sym, type Value } from "../vm/values.ts";

export const UNBOUND = Symbol("unbound");

/** A variable of the top level. */
export class Cell {
  value: Value = UNBOUND;
  /** The program assigns it: its current value must not be relied on. */
  open = false;

  constructor(readonly name: string) {}
}

/** A name that a macro put into its result; it means what it meant where the macro was defined. */
export class Alias {
  constructor(readonly of: Name, readonly scope: Scope) {}
}

export type Name = Sym | Alias;

export function isName(value: Value): value is Name {
  return value instanceof Sym || value instanceof Alias;
}

export function symbolOf(name: Name): Sym {
  while (name instanceof Alias) name = name.of;
  return name;
}

/** A variable of a procedure or a `let`. */
export class Local {
  constructor(readonly scope: Inner, readonly index: number, readonly name: string) {}

  /** May be read before it has a value. */
  checked = false;
}

export interface Use {
  compiler: Compiler;
  scope: Scope;
  tail: boolean;
  /** Where the form begins. */
  at: number;
}

/** A form the compiler knows. */
export class Special {
  constructor(readonly name: string, readonly compile: (form: Pair, use: Use) => Node) {}
}

export class Macro {
  constructor(readonly expand: (form: Pair, scope: Scope) => Value, readonly name: string) {}
}

export type Binding = Cell | Local | Special | Macro;

/** The names of the top level of a program or a library. */
export class Environment {
  readonly kind = "environment";
  readonly names = new Map<Sym, Binding>();
  /** What macros defined under names of their own. */
  readonly aliased = new WeakMap<Alias, Binding>();
  /** Names that belong to a library. */
  readonly imported = new Set<Sym>();
  readonly frame = false;

  constructor(
    /** Names that exist without being defined or imported. */
    private readonly builtin: (name: Sym) => Binding | null = () => null,
    readonly mutable = true,
  ) {}

  find(name: Sym): Binding | null {
    const known = this.names.get(name);
    if (known) return known;
    const binding = this.builtin(name);
    if (binding) this.names.set(name, binding);
    return binding;
  }

  /** As `find`; a name that means nothing yet may be defined later. */
  lookup(name: Sym): Binding {
    const known = this.find(name);
    if (known) return known;
    const cell = new Cell(name.name);
    this.names.set(name, cell);
    return cell;
  }

  /** The variable to be defined. */
  define(name: Name): Cell {
    const known = name instanceof Alias ? this.aliased.get(name) : this.find(name);
    if (known instanceof Cell && !(name instanceof Sym && this.imported.has(name))) return known;
    const cell = new Cell(symbolOf(name).name);
    this.bind(name, cell);
    return cell;
  }

  bind(name: Name, binding: Binding): void {
    if (name instanceof Alias) return void this.aliased.set(name, binding);
    this.imported.delete(name);
    this.names.set(name, binding);
  }

  set(name: string, value: Value): void {
    this.define(internSymbol(name)).value = value;
  }
}

/** The names of a body; a frame exists at run time, others only while compiling. */
export class Inner {
  readonly names = new Map<Name, Binding>();
  readonly locals: Local[] = [];

  constructor(readonly parent: Scope, public frame: boolean) {}

  add(name: Name): Local {
    const local = new Local(this, this.locals.length, symbolOf(name).name);
    this.locals.push(local);
    this.names.set(name, local);
    return local;
  }
}

export type Scope = Inner | Environment;

export function lookUpName(name: Name, scope: Scope): Binding {
  for (let here: Scope = scope; here instanceof Inner; here = here.parent) {
    const found = here.names.get(name);
    if (found) return found;
  }
  const top = topOf(scope);
  return name instanceof Alias ? top.aliased.get(name) ?? lookUpName(name.of, name.scope) : top.lookup(name);
}

export function topOf(scope: Scope): Environment {
  while (scope instanceof Inner) scope = scope.parent;
  return scope;
}

/** How many activations lie between a scope and the owner of a variable. */
export function frameDistance(scope: Scope, owner: Inner): number {
  let count = 0;
  for (let here: Scope = scope; here !== owner; here = (here as Inner).parent) if (here.frame) count++;
  return count;
}

/** Whether two names mean the same, as for `else` and the literals of a macro. */
export function sameMeaning(a: Name, scopeA: Scope, b: Name, scopeB: Scope): boolean {
  const [x, y] = [lookUpName(a, scopeA), lookUpName(b, scopeB)];
  return x === y || x instanceof Cell && y instanceof Cell && x.name === y.name;
}

/** Data without what macros put in: names are symbols again. */
export function stripAliases(value: Value): Value {
  return hasAlias(value) ? stripped(value) : value;
}

function stripped(value: Value): Value {
  if (value instanceof Alias) return symbolOf(value);
  if (Array.isArray(value)) return value.map(stripped);
  if (!(value instanceof Pair)) return value;
  const head = new Pair(stripped(value.car), value.cdr);
  let last = head;
  while (last.cdr instanceof Pair) {
    const next: Pair = new Pair(stripped(last.cdr.car), last.cdr.cdr);
    last.cdr = next;
    last = next;
  }
  last.cdr = stripped(last.cdr);
  return head;
}

function hasAlias(value: Value): boolean {
  const [seen, todo] = [new Set<object>(), [value]];
  while (todo.length > 0) {
    const next = todo.pop();
    if (next instanceof Alias) return true;
    if (!(next instanceof Pair || Array.isArray(next)) || seen.has(next)) continue;
    seen.add(next);
    if (next instanceof Pair) todo.push(next.cdr, next.car);
    else for (const item of next) todo.push(item);
  }
  return false;
}
