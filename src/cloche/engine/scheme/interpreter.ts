/** A Scheme system: its libraries, an environment that lasts, and the running of programs in it. */

import { Compiler, type World } from "./compiler.ts";
import { failure, SchemeError, Source } from "./errors.ts";
import { BINDING } from "./forms/binding.ts";
import { CHOICE } from "./forms/choice.ts";
import { CORE } from "./forms/core.ts";
import { moduleMacros, MODULES } from "./forms/modules.ts";
import { QUASI } from "./forms/quasi.ts";
import { addArithmetic } from "./library/arithmetic.ts";
import { addChars } from "./library/chars.ts";
import { addControl } from "./library/control.ts";
import { addEquality } from "./library/equality.ts";
import { addInputAndOutput, type Console, fileWork } from "./library/io.ts";
import { addPairsAndLists } from "./library/lists.ts";
import { Registry } from "./library/registry.ts";
import { addStrings } from "./library/strings.ts";
import { addSystem, type Process } from "./library/system.ts";
import { addTables } from "./library/tables.ts";
import { addVectorsAndBytes } from "./library/vectors.ts";
import { Libraries, own } from "./libraries.ts";
import { Machine } from "./machine.ts";
import { type Node, start } from "./nodes.ts";
import { type Files, type Port, TextInput, TextOutput } from "./ports.ts";
import { LISTS } from "./prelude/lists.ts";
import { MACROS } from "./prelude/macros.ts";
import { REST } from "./prelude/rest.ts";
import { write } from "./printer.ts";
import { Parameter, Primitive } from "./procedures.ts";
import { Reader, readText } from "./reader.ts";
import { macroOf } from "./rules.ts";
import { Alias, type Binding, Cell, Environment, isName, lookup, Special, symbolOf } from "./scope.ts";
import { intern, NIL, Pair, sweepSymbols, Sym, Text, type Value, Values } from "./values.ts";

export { Exit, SchemeError } from "./errors.ts";
export type { Files, Sink } from "./ports.ts";

/** What an interpreter needs of its host. */
export interface Host {
  /** Called again and again while a program runs, also when it has made much; what it throws ends the program. */
  poll(much: boolean): void;
  stdout(text: string): void;
  stderr(text: string): void;
  /** The next piece of the input, null at its end. */
  stdin(): string | null;
  files: Files;
  process: Process;
  /** How many calls may wait for one another. */
  depth?: number;
}

const FEATURES = ["r7rs", "exact-closed", "exact-rationals", "full-unicode", "ratios", "cloche", "srfi-1", "srfi-69"];
const AUXILIARY = ["else", "=>", "...", "_", "unquote", "unquote-splicing", "syntax-rules", "<>", "<...>"];
const DEPTH = 2_000_000;
const PRELUDE: Record<string, string> = { ...LISTS, ...REST };

export class Interpreter {
  readonly machine: Machine;
  readonly environment: Environment;
  readonly #system: Environment;
  readonly #registry = new Registry();
  readonly #libraries: Libraries;
  readonly #world: World;
  readonly #console: Console;
  readonly #opened = new Set<Port>();

  constructor(private readonly host: Host) {
    this.machine = new Machine((much) => this.#tick(much), { depth: host.depth ?? DEPTH });
    this.#console = {
      input: new Parameter(new TextInput(() => this.#input()), null),
      output: new Parameter(new TextOutput((text) => host.stdout(text)), null),
      error: new Parameter(new TextOutput((text) => host.stderr(text)), null),
    };
    this.#world = {
      machine: this.machine,
      system: (name) => new Alias(intern(name), this.#system),
      include: (path, fold) => this.#include(path, fold),
      features: FEATURES,
      names: () => this.#names(),
      hasLibrary: (name) => this.#libraries.has(name),
      importSets: (sets, into) => this.#libraries.importSets(sets, into),
      defineLibrary: (form, compiler) => void this.#libraries.within(compiler, form),
    };
    this.#system = new Environment((name) => this.#make(name.name));
    this.environment = this.#fresh();
    this.#libraries = new Libraries(this.#world, this.#system, (path) => this.#libraryFile(path));
    this.#fill();
  }

  /** Runs a program; gives the value of its last form. Throws SchemeError, Exit, or what the host's `poll` threw. */
  run(text: string, name: string): Value {
    sweepSymbols();
    this.#console.input.value = new TextInput(() => this.#input());
    const source = new Source(name, text);
    const forms = new Reader(source).readAll();
    this.#foresee(forms.map(({ value }) => value));
    try {
      return this.machine.execute(() => this.#program(source, forms, 0, this.environment, undefined));
    } finally {
      this.flush();
    }
  }

  /** The value as `write` shows it; null when it is unspecified. */
  show(value: Value): string | null {
    if (value === undefined) return null;
    if (value instanceof Values) {
      return value.list.length === 0 ? null : value.list.map((each) => write(each)).join("\n");
    }
    return write(value);
  }

  /** Whether the text is a whole program, could become one, or never will. */
  check(text: string): "complete" | "incomplete" | "invalid" {
    try {
      new Reader(new Source("", text)).readAll();
      return "complete";
    } catch (error) {
      if (!(error instanceof SchemeError)) throw error;
      return error.incomplete ? "incomplete" : "invalid";
    }
  }

  /** The names that begin so. */
  complete(prefix: string): string[] {
    const names = new Set([...this.#names()].filter((name) => name.startsWith(prefix)));
    for (const [name, binding] of this.environment.names) {
      if (name.name.startsWith(prefix) && !(binding instanceof Cell && typeof binding.value === "symbol")) {
        names.add(name.name);
      }
    }
    return [...names].sort();
  }

  /** How many calls waited for one another when the program was broken off. */
  get depth(): number {
    return this.machine.frame?.depth ?? 0;
  }

  /** Lets go of a program that was broken off. */
  forget(): void {
    this.machine.reset();
  }

  flush(): void {
    for (const parameter of [this.#console.output, this.#console.error]) (parameter.value as TextOutput).flush();
    for (const port of this.#opened) if ("flush" in port) (port as TextOutput).flush();
  }

  #tick(much: boolean): void {
    this.flush();
    this.host.poll(much);
  }

  #input(): string | null {
    this.flush();
    return this.host.stdin();
  }

  /** One form after the other; a continuation that is captured in one of them goes on with those that follow. */
  #program(
    source: Source,
    forms: { value: Value; offset: number }[],
    at: number,
    environment: Environment,
    last: Value,
  ): Value {
    if (at >= forms.length) {
      source.marks.clear();
      return last;
    }
    const { value, offset } = forms[at];
    const compiler = new Compiler(this.#world, source);
    const node = compiler.compile(value, environment, false, offset);
    const next = (value: Value) => this.#program(source, forms, at + 1, environment, value);
    start(this.machine, node);
    const result = this.machine.enterTail();
    // Left to the machine, so that a long program does not nest.
    return this.machine.later(result, next, compiler.site(offset));
  }

  /** Names that the program will define are not taken for what they are now. */
  #foresee(forms: Value[]): void {
    for (const form of forms) {
      if (!(form instanceof Pair && form.car instanceof Sym && form.cdr instanceof Pair)) continue;
      if (form.car.name === "begin") this.#foresee(arrayOf(form.cdr));
      if (form.car.name !== "define") continue;
      let target = form.cdr.car;
      while (target instanceof Pair) target = target.car;
      const binding = isName(target) ? lookup(target, this.environment) : null;
      if (binding instanceof Cell) binding.open = true;
    }
  }

  #fresh(): Environment {
    return new Environment((name) => {
      if (name.name.startsWith("%")) return null;
      const binding = this.#system.find(name);
      return binding ? own(binding) : null;
    });
  }

  #fill(): void {
    const r = this.#registry;
    addEquality(r);
    addArithmetic(r);
    addPairsAndLists(r);
    addChars(r);
    addStrings(r);
    addVectorsAndBytes(r);
    addTables(r);
    addControl(r, this.machine);
    addInputAndOutput({ r, m: this.machine, files: this.host.files, console: this.#console, opened: this.#opened });
    addSystem(r, this.machine, this.#evaluation(), () => this.host.process, () => this.flush());
    this.#system.set("current-input-port", this.#console.input);
    this.#system.set("current-output-port", this.#console.output);
    this.#system.set("current-error-port", this.#console.error);
    this.#system.set("the-empty-stream", NIL);
    this.#system.set("stream-nil", NIL);
    const forms = { ...CORE, ...BINDING, ...CHOICE, ...QUASI, ...MODULES };
    const bind = (name: string, binding: Binding) => this.#system.bind(intern(name), binding);
    for (const [name, compile] of Object.entries(forms)) bind(name, new Special(name, compile));
    for (const [name, macro] of Object.entries(moduleMacros(this.#world))) bind(name, macro);
    for (const name of AUXILIARY) bind(name, new Special(name, misplaced));
  }

  /** What the system has under a name; what is written in Scheme is compiled when it is first asked for. */
  #make(name: string): Binding | null {
    const primitive = this.#registry.primitives.get(name);
    if (primitive) return cellOf(name, primitive);
    if (Object.hasOwn(MACROS, name)) return macroOf(readText(MACROS[name]) as Pair, this.#system, name);
    return Object.hasOwn(PRELUDE, name) ? this.#fromScheme(name) : null;
  }

  #fromScheme(name: string): Cell {
    const cell = new Cell(name);
    // Known before it is compiled: it may call itself.
    this.#system.bind(intern(name), cell);
    const compiler = new Compiler(this.#world, new Source("<library>", ""));
    const node = compiler.compile(readText(PRELUDE[name]), this.#system, false, 0);
    if (node.lambda) node.lambda.name = name;
    cell.value = node.code(this.machine.global);
    return cell;
  }

  #names(): Iterable<string> {
    const known = [...this.#system.names.keys()].map((name) => name.name);
    const all = [...this.#registry.primitives.keys(), ...Object.keys(PRELUDE), ...Object.keys(MACROS), ...known];
    return new Set(all.filter((name) => !name.startsWith("%")));
  }

  #evaluation() {
    const interaction = () => this.environment;
    const environment = (value: Value) => value instanceof Environment ? value : this.environment;
    return {
      features: FEATURES,
      interaction,
      output: () => this.machine.parameter(this.#console.output) as TextOutput,
      environment: (sets: Value[]) => {
        const made = new Environment();
        this.machine.nested(
          new Primitive("import", 0, 0, () => this.#once(this.#libraries.importSets(sets, made)), false, true),
          [],
        );
        return made;
      },
      evaluate: (form: Value, where: Value) => {
        const compiler = new Compiler(this.#world, new Source("<eval>", ""));
        return start(this.machine, compiler.compile(form, environment(where), false, 0));
      },
      load: (path: Value, where: Value) => {
        const { source, forms } = this.#read(path);
        return this.#program(source, forms, 0, environment(where), undefined);
      },
    };
  }

  #once(node: Node): Value {
    return node.code(this.machine.global);
  }

  #read(path: Value): { source: Source; forms: { value: Value; offset: number }[] } {
    const data = fileWork("load", path, (path) => this.host.files.read(path));
    const source = new Source(String(path), new TextDecoder().decode(data));
    return { source, forms: new Reader(source).readAll() };
  }

  #include(path: string, fold: boolean): { source: Source; data: Value[] } {
    const bytes = fileWork("include", new Text(path), (path) => this.host.files.read(path));
    const text = new TextDecoder().decode(bytes);
    const source = new Source(path, fold ? `#!fold-case\n${text}` : text);
    return { source, data: new Reader(source).readAll().map(({ value }) => value) };
  }

  #libraryFile(path: string): { source: Source; data: Value[] } | null {
    return this.host.files.exists(path) ? this.#include(path, false) : null;
  }
}

function misplaced(form: Pair): never {
  throw failure("SyntaxError", `${symbolOf(form.car as Sym).name} does not stand alone`);
}

function cellOf(name: string, value: Value): Cell {
  const cell = new Cell(name);
  cell.value = value;
  return cell;
}

function arrayOf(list: Value): Value[] {
  const items: Value[] = [];
  for (; list instanceof Pair; list = list.cdr) items.push(list.car);
  return items;
}
