/** Forms that concern whole programs: libraries, included files, features; and record types. */

import { Compiler, type CompilerWorld, SCANNED } from "../compiler/compiler.ts";
import { wrongType } from "../vm/errors.ts";
import { makeConstant, makeSequence, type Node } from "../compiler/nodes.ts";
import { Primitive } from "../vm/procedures.ts";
import { isName, Macro, type Scope, stripAliases, symbolOf, type Use } from "../syntax/scope.ts";
import {
  Instance,
  internSymbol,
  itemsOf,
  listOf,
  makeList,
  NIL,
  Pair,
  RecordType,
  Sym,
  Text,
  type Value,
} from "../vm/values.ts";
import { compileTopLevel, type Forms, partsOf, syntaxError } from "./core.ts";

function holds(requirement: Value, world: CompilerWorld): boolean {
  if (requirement instanceof Sym) return requirement.name === "else" || world.features.includes(requirement.name);
  if (!(requirement instanceof Pair)) throw syntaxError("no requirement of cond-expand:", requirement);
  const parts = itemsOf(requirement.cdr, "cond-expand");
  const word = requirement.car instanceof Sym ? requirement.car.name : "";
  if (word === "and") return parts.every((part) => holds(part, world));
  if (word === "or") return parts.some((part) => holds(part, world));
  if (word === "not") return !holds(parts[0], world);
  if (word === "library") return world.hasLibrary(parts[0]);
  throw syntaxError("no requirement of cond-expand:", requirement);
}

/** The forms of the first clause that holds. */
export function expandConditions(form: Pair, world: CompilerWorld): Value[] {
  for (const clause of itemsOf(form.cdr, "cond-expand")) {
    if (!(clause instanceof Pair)) throw syntaxError("a clause of cond-expand is (requirement form ...):", clause);
    if (holds(stripAliases(clause.car), world)) return itemsOf(clause.cdr, "cond-expand");
  }
  return [];
}

function include(fold: boolean) {
  return (form: Pair, { compiler, scope, tail }: Use): Node => {
    const nodes = partsOf(form, 1).map((path) => {
      if (!(path instanceof Text)) throw syntaxError("include needs the name of a file:", form);
      const { source, data } = compiler.world.include(path.toString(), fold);
      return new Compiler(compiler.world, source).sequence(listOf(data), scope, tail, 0);
    });
    return makeSequence(compiler.vm, nodes, nodes.map(() => compiler.site(0)));
  };
}

export const MODULES: Forms = {
  "include": include(false),
  "include-ci": include(true),
  "import": (form, { compiler, scope }) => compiler.world.importSets(partsOf(form, 0), compileTopLevel(scope, form)),
  "define-library": (form, { compiler }) => {
    compiler.world.defineLibrary(form, compiler);
    return makeConstant(undefined);
  },
};

for (const [word, fold] of [["include", false], ["include-ci", true]] as const) {
  SCANNED.set(word, (form, { compiler, forms }) => {
    for (const path of partsOf(form, 1)) forms(listOf(compiler.world.include(String(path), fold).data));
  });
}

/** Forms that are replaced by others, which may be definitions. */
export function moduleMacros(world: CompilerWorld): Record<string, Macro> {
  const begin = (forms: Value[]) => new Pair(world.system("begin"), listOf(forms));
  return {
    "cond-expand": new Macro((form) => begin(expandConditions(form, world)), "cond-expand"),
    "define-record-type": new Macro(
      (form, scope) => begin(recordDefinitions(form, scope, world)),
      "define-record-type",
    ),
  };
}

/** `(define-record-type type (constructor field ...) predicate (field accessor modifier) ...)` */
function recordDefinitions(form: Pair, _: Scope, world: CompilerWorld): Value[] {
  const [head, constructor, predicate, ...specs] = partsOf(form, 2);
  const name = head instanceof Pair ? head.car : head;
  if (!isName(name)) throw syntaxError("define-record-type needs a name:", form);
  const fields = specs.map((spec) => spec instanceof Pair ? spec.car : spec);
  if (!fields.every(isName)) throw syntaxError("a field is (name accessor modifier):", form);
  const title = symbolOf(name).name.replace(/^<(.*)>$/, "$1");
  const type = new RecordType(title, fields.map((field) => symbolOf(field).name));
  const definitions: Value[] = [];
  const define = (name: Value, value: Value) => void definitions.push(makeList(world.system("define"), name, value));
  define(name, type);
  if (constructor !== false) defineConstructor(constructor, fields, type, form, define);
  if (predicate !== undefined && predicate !== false) {
    define(
      predicate,
      new Primitive(nameIn(predicate), 1, 1, (x: Value) => x instanceof Instance && x.type === type, false, false),
    );
  }
  specs.forEach((spec, i) => defineField(spec, i, type, define));
  return definitions;
}

function nameIn(value: Value): string {
  return isName(value) ? symbolOf(value).name : "record";
}

type Define = (name: Value, value: Value) => void;

function defineConstructor(spec: Value, fields: Value[], type: RecordType, form: Pair, define: Define): void {
  const name = spec instanceof Pair ? spec.car : spec === true ? internSymbol(`make-${type.name}`) : spec;
  const taken = spec instanceof Pair ? itemsOf(spec.cdr, "define-record-type") : fields;
  const slots = taken.map((field) => fields.indexOf(field));
  if (slots.includes(-1)) throw syntaxError("the constructor takes something that is no field:", form);
  const inOrder = slots.length === fields.length && slots.every((slot, i) => slot === i);
  const make = inOrder ? (args: Value[]) => new Instance(type, args.slice()) : (args: Value[]) => {
    const values: Value[] = new Array(fields.length).fill(false);
    slots.forEach((slot, i) => values[slot] = args[i]);
    return new Instance(type, values);
  };
  define(name, new Primitive(nameIn(name), slots.length, slots.length, make, true, false));
}

function defineField(spec: Value, index: number, type: RecordType, define: Define): void {
  if (!(spec instanceof Pair) || spec.cdr === NIL) return;
  const [, accessor, modifier] = itemsOf(spec, "define-record-type");
  const checked = (x: Value, who: string) => {
    if (x instanceof Instance && x.type === type) return x;
    throw wrongType(who, `a ${type.name}`, x);
  };
  const get = nameIn(accessor);
  define(accessor, new Primitive(get, 1, 1, (x: Value) => checked(x, get).fields[index], false, false));
  if (modifier === undefined) return;
  const set = nameIn(modifier);
  define(
    modifier,
    new Primitive(set, 2, 2, (x: Value, value: Value) => void (checked(x, set).fields[index] = value), false, false),
  );
}
