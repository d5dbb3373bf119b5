/** A Scheme system: its libraries, an environment that lasts, and the running of programs in it. */

import { Compiler, type CompilerWorld } from "./compiler/compiler.ts";
import { SchemeError, Source } from "./vm/errors.ts";
import { addInputAndOutput, type Console, fileWork } from "./library/io.ts";
import { addSystem, type Process } from "./library/system.ts";
import { Libraries } from "./libraries.ts";
import { Vm } from "./vm/vm.ts";
import { type Node, startNode } from "./compiler/nodes.ts";
import { type Files, type Port, TextInput, TextOutput } from "./vm/ports.ts";
import { showValue } from "./syntax/printer.ts";
import { Parameter, Primitive } from "./vm/procedures.ts";
import { Reader } from "./syntax/reader.ts";
import { Alias, Cell, Environment, isName, lookUpName } from "./syntax/scope.ts";
import { System } from "./system.ts";
import { internSymbol, NIL, Pair, sweepSymbols, Sym, Text, type Value, Values } from "./vm/values.ts";

export { Exit, SchemeError } from "./vm/errors.ts";
export type { Files } from "./vm/ports.ts";

/** What an interpreter needs of its host. */
export interface SchemeServices {
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
const DEPTH = 2_000_000;
const LONGEST = 1 << 20;

export class Interpreter {
  readonly vm: Vm;
  readonly environment: Environment;
  readonly #system: System;
  readonly #libraries: Libraries;
  readonly #world: CompilerWorld;
  readonly #console: Console;
  readonly #opened = new Set<Port>();

  constructor(private readonly host: SchemeServices) {
    this.vm = new Vm((much) => this.#tick(much), { depth: host.depth ?? DEPTH });
    this.#console = {
      input: new Parameter(new TextInput(() => this.#input()), null),
      output: new Parameter(new TextOutput((text) => host.stdout(text)), null),
      error: new Parameter(new TextOutput((text) => host.stderr(text)), null),
    };
    this.#world = {
      vm: this.vm,
      system: (name) => new Alias(internSymbol(name), this.#system.environment),
      include: (path, fold) => this.#include(path, fold),
      features: FEATURES,
      names: () => this.#system.names(),
      hasLibrary: (name) => this.#libraries.has(name),
      importSets: (sets, into) => this.#libraries.importSets(sets, into),
      defineLibrary: (form, compiler) => void this.#libraries.within(compiler, form),
    };
    this.#system = new System(this.#world);
    this.environment = this.#system.fresh();
    const { environment, registry: r } = this.#system;
    this.#libraries = new Libraries(this.#world, environment, (path) => this.#libraryFile(path));
    const { input, output, error } = this.#console;
    const ports = { "current-input-port": input, "current-output-port": output, "current-error-port": error };
    this.#system.fill({ ...ports, "the-empty-stream": NIL, "stream-nil": NIL });
    addInputAndOutput({ r, m: this.vm, files: host.files, console: this.#console, opened: this.#opened });
    addSystem(r, this.vm, this.#evaluation(), () => host.process, () => this.flush());
  }

  /** Runs a program; returns the value of its last form. Throws SchemeError, Exit, or what `poll` threw. */
  run(text: string, name: string): Value {
    sweepSymbols();
    this.#console.input.value = new TextInput(() => this.#input());
    const source = new Source(name, text);
    const forms = new Reader(source).readAll();
    this.#foresee(forms.map(({ value }) => value));
    try {
      return this.vm.execute(() => this.#program(source, forms, 0, this.environment, undefined));
    } finally {
      this.flush();
    }
  }

  /** The value as `write` shows it, cut when it is very long; null when it is unspecified. */
  show(value: Value): string | null {
    const values = value instanceof Values ? value.list : value === undefined ? [] : [value];
    if (values.length === 0) return null;
    try {
      const text = values.map((each) => showValue(each, LONGEST)).join("\n");
      return text.length > LONGEST ? text.slice(0, LONGEST) + "..." : text;
    } catch (error) {
      if (error instanceof RangeError) return "#<a value too large to be shown>";
      throw error;
    }
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
    const names = new Set([...this.#system.names()].filter((name) => name.startsWith(prefix)));
    for (const [name, binding] of this.environment.names) {
      if (name.name.startsWith(prefix) && !(binding instanceof Cell && typeof binding.value === "symbol")) {
        names.add(name.name);
      }
    }
    return [...names].sort();
  }

  /** The names of libraries that are known without looking at files. */
  libraryNames(): string[] {
    return this.#libraries.names();
  }

  /** How many calls waited for one another when the program was broken off. */
  get depth(): number {
    return this.vm.frame?.depth ?? 0;
  }

  /** Lets go of a program that was broken off. */
  forget(): void {
    this.vm.reset();
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

  /** One form after another; a continuation that is captured in one of them continues with those that follow. */
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
    startNode(this.vm, node);
    const result = this.vm.enterTail();
    // Left to the VM, so that a long program does not nest.
    return this.vm.later(result, next, compiler.site(offset));
  }

  /** Names that the program will define are not taken for what they are now. */
  #foresee(forms: Value[]): void {
    for (const form of forms) {
      if (!(form instanceof Pair && form.car instanceof Sym && form.cdr instanceof Pair)) continue;
      if (form.car.name === "begin") this.#foresee(arrayOf(form.cdr));
      if (form.car.name !== "define") continue;
      let target = form.cdr.car;
      while (target instanceof Pair) target = target.car;
      const binding = isName(target) ? lookUpName(target, this.environment) : null;
      if (binding instanceof Cell) binding.open = true;
    }
  }

  #evaluation() {
    const interaction = () => this.environment;
    const environment = (value: Value) => value instanceof Environment ? value : this.environment;
    return {
      features: FEATURES,
      interaction,
      output: () => this.vm.parameter(this.#console.output) as TextOutput,
      environment: (sets: Value[]) => {
        const made = new Environment();
        this.vm.nested(
          new Primitive("import", 0, 0, () => this.#once(this.#libraries.importSets(sets, made)), false, true),
          [],
        );
        return made;
      },
      evaluate: (form: Value, where: Value) => {
        const compiler = new Compiler(this.#world, new Source("<eval>", ""));
        return startNode(this.vm, compiler.compile(form, environment(where), false, 0));
      },
      load: (path: Value, where: Value) => {
        const { source, forms } = this.#read(path);
        return this.#program(source, forms, 0, environment(where), undefined);
      },
    };
  }

  #once(node: Node): Value {
    return node.code(this.vm.global);
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

function arrayOf(list: Value): Value[] {
  const items: Value[] = [];
  for (; list instanceof Pair; list = list.cdr) items.push(list.car);
  return items;
}
