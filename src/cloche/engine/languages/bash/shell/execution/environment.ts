/** The environment of programs: exported variables, and functions as one bash hands them to another. */
import type { Interpreter } from "../interpreter.ts";
import { DYNAMIC } from "../state/dynamic.ts";
import type { ShellState } from "../state/shell_state.ts";
import { EXPORTED } from "../state/variables.ts";
import { Parser } from "../syntax/parser.ts";
import { printFunction } from "../syntax/print.ts";
import { ShellSyntaxError } from "../syntax/scanner.ts";

const FUNCTION = /^BASH_FUNC_(.+)%%$/;

/** Variables that another bash takes over although they are computed. */
const COMPUTED = ["BASH_ARGV0", "BASHOPTS", "SHELLOPTS"];

export function environmentOf(shell: Interpreter): Readonly<Record<string, string>> {
  const { variables, functions } = shell.state;
  let environment = variables.environment();
  for (const name of COMPUTED) {
    if (!((variables.find(name)?.attributes ?? 0) & EXPORTED)) continue;
    const value = DYNAMIC.get(name)?.read(shell);
    if (typeof value === "string") environment = { ...environment, [name]: value };
  }
  for (const [name, { node, exported }] of functions) {
    if (!exported) continue;
    if (environment === variables.environment()) environment = { ...environment };
    const text = printFunction({ ...node, name });
    environment[`BASH_FUNC_${name}%%`] = text.slice(text.indexOf("()")).replace(/^\(\) \n\{ \n\s*/, "() {  ");
  }
  return environment;
}

/** Makes functions of what another bash has exported. */
export function importFunctions({ variables, functions }: ShellState): void {
  for (const [variable, { value }] of [...variables.entries()]) {
    const [, name] = FUNCTION.exec(variable) ?? [];
    if (name === undefined || typeof value !== "string" || !value.startsWith("() {")) continue;
    variables.remove(variable);
    try {
      const { statements } = new Parser(`${name} ${value}`).parseAll();
      const node = statements.length === 1 ? statements[0].pipelines[0].commands[0] : undefined;
      if (node?.type !== "Function") continue;
      functions.set(name, { node, source: "environment", exported: true, traced: false, readonly: false });
    } catch (error) {
      if (!(error instanceof ShellSyntaxError)) throw error;
    }
  }
}
