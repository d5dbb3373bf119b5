/** Compiles a whole program. */
import type { Code, Machine } from "../machine/machine.ts";
import type { Names } from "../program/resolver.ts";
import type { Pattern, Program, Rule } from "../program/syntax.ts";
import { Emitter, Label } from "./emitter.ts";
import { ExpressionCompiler } from "./expressions.ts";
import { StatementCompiler } from "./statements.ts";

/** The code of each kind of rule; undefined if the program has none. */
export interface CompiledProgram {
  begin: Code | undefined;
  /** The rules that are tried for each record. */
  main: Code | undefined;
  end: Code | undefined;
  beginFile: Code | undefined;
  endFile: Code | undefined;
}

const EMPTY: Code = { instructions: [], lines: [], slots: 0 };

export function compileProgram(program: Program, names: Names, machine: Machine): CompiledProgram {
  // Calls are compiled before all functions are.
  for (const { name, parameters } of program.functions.values()) {
    machine.functions.set(name, { name, parameters: parameters.length, code: EMPTY });
  }
  for (const { name, parameters, body } of program.functions.values()) {
    const emitter = new Emitter(machine, new ExpressionCompiler(machine, names), parameters.length);
    const statements = new StatementCompiler(emitter, true);
    statements.all(body);
    statements.end();
    const compiled = machine.functions.get(name);
    if (compiled) compiled.code = codeOf(emitter);
  }
  const compile = (...kinds: Pattern["kind"][]) => {
    const rules = program.rules.filter(({ pattern }) => kinds.includes(pattern.kind));
    return rules.length > 0 ? compileRules(rules, names, machine) : undefined;
  };
  return {
    begin: compile("BEGIN"),
    main: compile("always", "test", "range"),
    end: compile("END"),
    beginFile: compile("BEGINFILE"),
    endFile: compile("ENDFILE"),
  };
}

function codeOf(emitter: Emitter): Code {
  return { instructions: emitter.instructions, lines: emitter.lines, slots: emitter.slotCount };
}

function compileRules(rules: Rule[], names: Names, machine: Machine): Code {
  const emitter = new Emitter(machine, new ExpressionCompiler(machine, names), 0);
  const statements = new StatementCompiler(emitter, false);
  for (const { pattern, body, line } of rules) {
    emitter.line = line;
    const otherwise = new Label();
    if (pattern.kind === "test") emitter.branch(pattern.test, true, otherwise);
    if (pattern.kind === "range") compileRange(emitter, pattern, otherwise);
    statements.all(body ?? [{ kind: "print", formatted: false, args: [], line }]);
    emitter.place(otherwise);
  }
  statements.end();
  return codeOf(emitter);
}

/** `first, last`: true from a record that matches the one to a record that matches the other. */
function compileRange(emitter: Emitter, { first, last }: Pattern & { kind: "range" }, otherwise: Label): void {
  let isInside = false;
  const inside = new Label();
  const body = new Label();
  emitter.emit((next) => () => isInside ? inside.at : next);
  emitter.branch(first, true, otherwise);
  emitter.emitAction(() => isInside = true);
  emitter.place(inside);
  emitter.branch(last, true, body);
  emitter.emitAction(() => isInside = false);
  emitter.place(body);
}
