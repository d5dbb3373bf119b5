/** Assembles the environment of programs: forms, primitives, and code written in Scheme. */

import { Compiler, type CompilerWorld } from "./compiler/compiler.ts";
import { raiseFailure, Source } from "./vm/errors.ts";
import { BINDING } from "./forms/binding.ts";
import { CHOICE } from "./forms/choice.ts";
import { CORE } from "./forms/core.ts";
import { moduleMacros, MODULES } from "./forms/modules.ts";
import { QUASI } from "./forms/quasi.ts";
import { addArithmetic } from "./library/arithmetic.ts";
import { addChars } from "./library/chars.ts";
import { addControl } from "./library/control.ts";
import { addEquality } from "./library/equality.ts";
import { addPairsAndLists } from "./library/lists.ts";
import { Registry } from "./library/registry.ts";
import { addStrings } from "./library/strings.ts";
import { addTables } from "./library/tables.ts";
import { addVectorsAndBytes } from "./library/vectors.ts";
import { ownLibrary } from "./libraries.ts";
import { LISTS } from "./prelude/lists.ts";
import { MACROS } from "./prelude/macros.ts";
import { STRINGS_AND_TABLES } from "./prelude/strings_and_tables.ts";
import { readText } from "./syntax/reader.ts";
import { macroOf } from "./syntax/syntax_rules.ts";
import { type Binding, Cell, Environment, type Name, Special, symbolOf } from "./syntax/scope.ts";
import { internSymbol, type Pair, type Value } from "./vm/values.ts";

const AUXILIARY = ["else", "=>", "...", "_", "unquote", "unquote-splicing", "syntax-rules", "<>", "<...>"];
const PRELUDE: Record<string, string> = { ...LISTS, ...STRINGS_AND_TABLES };

export class System {
  readonly environment = new Environment((name) => this.#make(name.name));
  readonly registry = new Registry();

  constructor(private readonly world: CompilerWorld) {}

  /** Adds what every interpreter shares; what depends on its services is added separately. */
  fill(values: Record<string, Value>): void {
    const r = this.registry;
    for (
      const add of [addEquality, addArithmetic, addPairsAndLists, addChars, addStrings, addVectorsAndBytes, addTables]
    ) add(r);
    addControl(r, this.world.vm);
    for (const [name, value] of Object.entries(values)) this.environment.set(name, value);
    const bind = (name: string, binding: Binding) => this.environment.bind(internSymbol(name), binding);
    const forms = { ...CORE, ...BINDING, ...CHOICE, ...QUASI, ...MODULES };
    for (const [name, compile] of Object.entries(forms)) bind(name, new Special(name, compile));
    for (const [name, macro] of Object.entries(moduleMacros(this.world))) bind(name, macro);
    for (const name of AUXILIARY) bind(name, new Special(name, misplaced));
  }

  /** An environment of a program's own, with all of this until it is redefined. */
  fresh(): Environment {
    return new Environment((name) => {
      if (name.name.startsWith("%")) return null;
      const binding = this.environment.find(name);
      return binding ? ownLibrary(binding) : null;
    });
  }

  names(): Set<string> {
    const known = [...this.environment.names.keys()].map((name) => name.name);
    const all = [...this.registry.primitives.keys(), ...Object.keys(PRELUDE), ...Object.keys(MACROS), ...known];
    return new Set(all.filter((name) => !name.startsWith("%")));
  }

  /** Code written in Scheme is compiled on first use. */
  #make(name: string): Binding | null {
    const primitive = this.registry.primitives.get(name);
    if (primitive) {
      const cell = new Cell(name);
      cell.value = primitive;
      return cell;
    }
    if (Object.hasOwn(MACROS, name)) return macroOf(readText(MACROS[name]) as Pair, this.environment, name);
    return Object.hasOwn(PRELUDE, name) ? this.#fromScheme(name) : null;
  }

  #fromScheme(name: string): Cell {
    const cell = new Cell(name);
    // Known before it is compiled: it may call itself.
    this.environment.bind(internSymbol(name), cell);
    const compiler = new Compiler(this.world, new Source("<library>", ""));
    const node = compiler.compile(readText(PRELUDE[name]), this.environment, false, 0);
    if (node.lambda) node.lambda.name = name;
    cell.value = node.code(this.world.vm.global);
    return cell;
  }
}

function misplaced(form: Pair): never {
  throw raiseFailure("SyntaxError", `${symbolOf(form.car as Name).name} does not stand alone`);
}
