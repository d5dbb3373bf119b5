/** Libraries: what they are made of, and what an import brings. */

import { Compiler } from "./compiler/compiler.ts";
import { raiseFailure, type Source } from "./vm/errors.ts";
import { syntaxError } from "./forms/core.ts";
import { expandConditions } from "./forms/modules.ts";
import type { Vm } from "./vm/vm.ts";
import { makeConstant, makeSequence, type Node } from "./compiler/nodes.ts";
import { Lambda } from "./vm/procedures.ts";
import { writeValue } from "./syntax/printer.ts";
import { type Binding, Cell, Environment, isName, stripAliases, symbolOf, UNBOUND } from "./syntax/scope.ts";
import { BUILTIN, namesOf } from "./prelude/names.ts";
import { internSymbol, itemsOf, Pair, Sym, Text, type Value } from "./vm/values.ts";
import type { CompilerWorld } from "./compiler/compiler.ts";

/** What a library offers, and its code until it has been run. */
interface Library {
  exports: Map<Sym, Binding>;
  code: Lambda | null;
}

export class Libraries {
  readonly #libraries = new Map<string, Library>();

  constructor(
    private readonly world: CompilerWorld,
    private readonly system: Environment,
    /** The text of the file that holds a library. */
    private readonly open: (path: string) => { source: Source; data: Value[] } | null,
  ) {}

  /** The names of those that are known without looking at files. */
  names(): string[] {
    return [...new Set([...BUILTIN, ...this.#libraries.keys()])];
  }

  has(name: Value): boolean {
    return this.#find(name) !== null;
  }

  /** Makes the names known to the environment; the code runs the libraries that have not been run. */
  importSets(sets: Value[], into: Environment): Node {
    const waiting: Library[] = [];
    for (const set of sets) {
      const { names, library } = this.#set(stripAliases(set));
      for (const [name, binding] of names) {
        if (isSame(into.find(name), binding)) continue;
        into.names.set(name, binding);
        into.imported.add(name);
      }
      waiting.push(library);
    }
    const m = this.world.vm;
    return waiting.length > 0
      ? { code: () => runAll(m, waiting, 0), simple: false, weight: 2 }
      : makeConstant(undefined);
  }

  #set(form: Value): { names: Map<Sym, Binding>; library: Library } {
    const { car, cdr } = form as Pair;
    const word = car instanceof Sym ? car.name : "";
    const nested = cdr instanceof Pair && cdr.car instanceof Pair;
    if (!nested || !["only", "except", "prefix", "rename"].includes(word)) {
      const library = this.#load(form);
      return { names: library.exports, library };
    }
    const { names, library } = this.#set(cdr.car);
    return { names: narrowed(word, names, itemsOf(cdr.cdr, "import"), form), library };
  }

  #load(name: Value): Library {
    const found = this.#find(name);
    if (found) return found;
    const error = raiseFailure("ImportError", "there is no library", name);
    Object.assign(error.payload as object, {
      hint: `define it with (define-library ${writeValue(name)} ...), or put it into the file ${fileOf(name)}`,
    });
    throw error;
  }

  #find(name: Value): Library | null {
    const key = keyOf(name);
    const known = this.#libraries.get(key) ?? this.#builtin(key);
    if (known) return known;
    const file = this.open(fileOf(name));
    if (!file) return null;
    const environment = new Environment((name) => this.system.find(name));
    const compiler = new Compiler(this.world, file.source);
    for (const form of file.data) compiler.compile(form, environment, false, compiler.place(form, 0));
    return this.#libraries.get(key) ?? null;
  }

  #builtin(key: string): Library | null {
    const names = namesOf(key);
    if (!names) return null;
    const exports = new Map<Sym, Binding>();
    for (const name of names) {
      const binding = this.system.find(internSymbol(name));
      if (binding) exports.set(internSymbol(name), ownLibrary(binding));
    }
    const library = { exports, code: null };
    this.#libraries.set(key, library);
    return library;
  }

  define(form: Pair): Node {
    const [name, ...declarations] = itemsOf(form.cdr, "define-library");
    const environment = new Environment();
    const parts: Node[] = [];
    const exports: Value[] = [];
    for (const declaration of this.#flat(declarations)) this.#declare(declaration, environment, parts, exports);
    const m = this.world.vm;
    const code = new Lambda(null, 0, false);
    const body = makeSequence(m, parts, parts.map(() => this.#site));
    code.body = body.code;
    code.weight = body.weight;
    this.#libraries.set(keyOf(stripAliases(name)), { exports: exported(exports, environment, name), code });
    return makeConstant(undefined);
  }

  #compiler: Compiler | null = null;

  get #site() {
    return (this.#compiler as Compiler).site(0);
  }

  /** The compiler of the file in which the library stands. */
  within(compiler: Compiler, form: Pair): Node {
    const outer = this.#compiler;
    this.#compiler = compiler;
    try {
      return this.define(form);
    } finally {
      this.#compiler = outer;
    }
  }

  #flat(declarations: Value[]): Value[] {
    return declarations.flatMap((each) => {
      if (!(each instanceof Pair && isName(each.car))) throw syntaxError("no declaration of a library:", each);
      if (symbolOf(each.car).name === "cond-expand") return this.#flat(expandConditions(each, this.world));
      if (symbolOf(each.car).name !== "include-library-declarations") return [each];
      return this.#flat(itemsOf(each.cdr, "include").flatMap((path) => this.world.include(String(path), false).data));
    });
  }

  #declare(declaration: Value, environment: Environment, parts: Node[], exports: Value[]): void {
    const { car, cdr } = declaration as Pair;
    const word = symbolOf(car as Sym).name;
    const items = itemsOf(cdr, word);
    const compiler = this.#compiler as Compiler;
    if (word === "export") exports.push(...items);
    else if (word === "import") parts.push(this.importSets(items, environment));
    else if (word === "begin") {
      for (const each of items) parts.push(compiler.compile(each, environment, false, compiler.place(each, 0)));
    } else if (word === "include" || word === "include-ci") {
      for (const path of items) parts.push(...this.#included(path, word === "include-ci", environment));
    } else throw syntaxError("no declaration of a library:", declaration);
  }

  #included(path: Value, fold: boolean, environment: Environment): Node[] {
    if (!(path instanceof Text)) throw syntaxError("include needs the name of a file:", path);
    const { source, data } = this.world.include(path.toString(), fold);
    const compiler = new Compiler(this.world, source);
    return data.map((form) => compiler.compile(form, environment, false, compiler.place(form, 0)));
  }
}

/** A variable of the system is copied: changes to it are not seen elsewhere. */
export function ownLibrary(binding: Binding): Binding {
  if (!(binding instanceof Cell)) return binding;
  const cell = new Cell(binding.name);
  cell.value = binding.value;
  return cell;
}

/** A variable that is already there stays one that the program may define. */
function isSame(known: Binding | null, binding: Binding): boolean {
  return known === binding ||
    known instanceof Cell && binding instanceof Cell && known.value === binding.value && known.value !== UNBOUND;
}

function runAll(m: Vm, libraries: Library[], from: number): Value {
  for (let i = from; i < libraries.length; i++) {
    const { code } = libraries[i];
    if (!code) continue;
    libraries[i].code = null;
    const value = m.enter(code, m.global);
    const next = i + 1;
    if (next < libraries.length) return m.after(value, () => runAll(m, libraries, next));
    return value;
  }
  return undefined;
}

function exported(specs: Value[], environment: Environment, library: Value): Map<Sym, Binding> {
  const result = new Map<Sym, Binding>();
  for (const spec of specs.map(stripAliases)) {
    const [inner, outer] = spec instanceof Pair ? itemsOf(spec.cdr, "export") : [spec, spec];
    if (!(inner instanceof Sym && outer instanceof Sym)) throw syntaxError("export needs names:", spec);
    const binding = environment.find(inner);
    if (!binding) {
      throw raiseFailure(
        "SyntaxError",
        `the library ${writeValue(stripAliases(library))} exports a name that it does not define:`,
        inner,
      );
    }
    result.set(outer, binding);
  }
  return result;
}

function narrowed(word: string, names: Map<Sym, Binding>, items: Value[], form: Value): Map<Sym, Binding> {
  const known = (name: Value): [Sym, Binding] => {
    const binding = names.get(name as Sym);
    if (!binding) throw raiseFailure("ImportError", `${word}: the library has no`, name, form);
    return [name as Sym, binding];
  };
  if (word === "only") return new Map(items.map(known));
  if (word === "except") {
    const without = new Set(items.map((item) => known(item)[0]));
    return new Map([...names].filter(([name]) => !without.has(name)));
  }
  if (word === "prefix") {
    return new Map(
      [...names].map(([name, binding]) => [internSymbol(String((items[0] as Sym).name) + name.name), binding]),
    );
  }
  const renamed = new Map(items.map((item) => itemsOf(item, "rename") as [Sym, Sym]));
  for (const from of renamed.keys()) known(from);
  return new Map([...names].map(([name, binding]) => [renamed.get(name) ?? name, binding]));
}

function keyOf(name: Value): string {
  return itemsOf(name, "import").map((part) => part instanceof Sym ? part.name : String(part)).join(" ");
}

function fileOf(name: Value): string {
  return keyOf(name).replaceAll(" ", "/") + ".sld";
}
