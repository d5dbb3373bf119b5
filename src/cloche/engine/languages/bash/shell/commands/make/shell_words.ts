/** How make starts a shell: its words and its environment. */
import type { Task } from "../../task.ts";
import { expandVariable } from "./expand.ts";
import type { Session } from "./session.ts";
import { splitWords } from "./text.ts";
import type { Scope, Variable } from "./variables.ts";

const DEFAULT_SHELL = "/bin/sh";
/** Names that can be in an environment without a word about it. */
const NAME = /^[A-Za-z_]\w*$/;

function plainValue(scope: Scope, name: string, otherwise: string): string {
  const variable = scope.find(name);
  return variable === undefined || variable.value.includes("$") ? otherwise : variable.value;
}

/** The shell with its flags, before the command. */
export function shellWords(make: Session, scope: Scope, failing = false): string[] {
  const shell = splitWords(plainValue(scope, "SHELL", DEFAULT_SHELL));
  const flags = splitWords(plainValue(scope, ".SHELLFLAGS", "-c"));
  if (failing && make.rules.special.has(".POSIX")) flags.unshift("-e");
  return [...shell.length > 0 ? shell : [DEFAULT_SHELL], ...flags];
}

export function isDefaultShell(scope: Scope): boolean {
  return plainValue(scope, "SHELL", "") === DEFAULT_SHELL && plainValue(scope, ".SHELLFLAGS", "-c") === "-c";
}

/** The environment of what make starts. With `expanding`, variables are expanded even if that runs commands. */
export function* exportedVariables(make: Session, scope: Scope, expanding: boolean): Task<Record<string, string>> {
  const env: Record<string, string> = {};
  for (const name of scope.names()) {
    const variable = scope.find(name);
    if (variable === undefined || !isExported(make, name, variable)) continue;
    // While the makefile is read, what a variable will be is not known yet.
    const value = expanding ? yield* expandVariable(make, name, variable, scope) : make.context.env[name];
    if (value !== undefined) env[name] = value;
  }
  for (const name of expanding ? [] : Object.keys(make.context.env)) env[name] ??= make.context.env[name];
  if (!expanding) env.MAKELEVEL = String(make.level);
  else env.MAKELEVEL = String(make.level + 1);
  const shell = make.context.env.SHELL;
  if (shell !== undefined && make.exports.get("SHELL") !== true) env.SHELL = shell;
  return env;
}

function isExported(make: Session, name: string, variable: Variable): boolean {
  const said = make.exports.get(name);
  if (said !== undefined) return said;
  if (variable.origin === "automatic" || variable.origin === "default") return false;
  if (!NAME.test(name)) return false;
  if (name in make.context.env || variable.origin === "command line") return true;
  return variable.origin === "environment" || make.exportAll;
}
